/**
 * Reads what is left of one table file, in the order of its keys: blocks with a turned bit are mended, blocks that
 * cannot be mended are reported as a loss, and where the index itself is gone the blocks are found one by one.
 */
import { crc32c, unmasked } from '../open/crc32c.ts';
import { readPastHoles } from '../open/failing-reads.ts';
import { FOOTER_BYTES, TRAILER_BYTES } from '../open/level-table.ts';
import { EntryReader, entriesOf, type TableBlock } from '../open/table-entries.ts';
import { CASTAGNOLI, turnedBit, withBitTurned } from './mend-one-bit.ts';
import { isInternalKey, type Loss, userKeyOf, type Version, versionOf } from './versions.ts';

/** A table file, with the first and last key that the manifest names for it if there is one. */
export interface TableToSalvage {
  readonly path: string;
  readonly smallest: Uint8Array;
  readonly largest: Uint8Array | undefined;
}

export interface SalvagePorts {
  readonly onLoss: (loss: Loss) => void;
  /** Called for every wrong block that could be mended. */
  readonly onMended: (what: string) => void;
}

const NO_KEY: Uint8Array = new Uint8Array(0);
/** After every key of the store. */
export const LAST_KEY: Uint8Array = new Uint8Array(64).fill(0xff);
/** The engine begins with a whole key so often. */
const WHOLE_KEY_EVERY = 16;

export function* salvageTable(
  { path, largest }: TableToSalvage,
  ports: SalvagePorts,
): Generator<Version> {
  const bytes = readPastHoles(path);
  const index = indexOf(bytes);
  const pieces =
    index === undefined
      ? walkedBlocks(bytes, path, ports)
      : indexedBlocks(bytes, index, path, ports);
  let last = NO_KEY;
  for (const piece of pieces) {
    if (piece.content === undefined) {
      const to = piece.lastKey ?? largest ?? LAST_KEY;
      // A file without an index ends somewhere; where its last key was read nothing is missing.
      if (
        piece.lastKey === undefined &&
        largest !== undefined &&
        Buffer.compare(last, largest) === 0
      )
        return;
      const from = Buffer.concat([userKeyOf(last), Buffer.of(0)]);
      ports.onLoss({ from, to: userKeyOf(to), reason: `${path} at ${piece.at}` });
      last = to;
      continue;
    }
    for (const [key, value] of blockEntries(piece.content)) {
      last = key;
      yield versionOf(key, value);
    }
  }
}

interface Piece {
  readonly at: number;
  /** Undefined if the block is lost. */
  readonly content: Buffer | undefined;
  /** The last key that may be in the block, as far as it is known. */
  readonly lastKey: Uint8Array | undefined;
}

interface IndexEntry extends TableBlock {
  readonly lastKey: Uint8Array;
}

function* indexedBlocks(
  bytes: Buffer,
  index: readonly IndexEntry[],
  path: string,
  ports: SalvagePorts,
): Generator<Piece> {
  for (const { at, size, lastKey } of index) {
    const content = soundBlock(bytes, at, size, () => ports.onMended(`${path} at ${at}`));
    yield {
      at,
      lastKey,
      content: content !== undefined && isOfEntries(content) ? content : undefined,
    };
  }
}

/** Blocks follow one another from the start of the file. */
function* walkedBlocks(bytes: Buffer, path: string, ports: SalvagePorts): Generator<Piece> {
  for (let at = 0; at < bytes.length; ) {
    const size = sizeOfBlock(bytes.subarray(at));
    const onMended = () => ports.onMended(`${path} at ${at}`);
    const content = size === undefined ? undefined : soundBlock(bytes, at, size, onMended);
    yield { at, content, lastKey: undefined };
    if (content === undefined || size === undefined) return;
    at += size + TRAILER_BYTES;
  }
}

/** Undefined if footer or index are not what was written and cannot be mended. */
function indexOf(bytes: Buffer): IndexEntry[] | undefined {
  if (bytes.length < FOOTER_BYTES) return undefined;
  const footer = new EntryReader(bytes.subarray(bytes.length - FOOTER_BYTES));
  footer.block();
  const { at, size } = footer.block();
  const content = soundBlock(bytes, at, size, () => {});
  if (content === undefined) return undefined;
  const entries = [...blockEntries(content)];
  const index = entries.map(([lastKey, value]) => ({ lastKey, ...new EntryReader(value).block() }));
  return index.every(({ lastKey }) => isInternalKey(lastKey)) ? index : undefined;
}

/** The contents of a block whose checksum is right, or becomes right by turning one bit. */
function soundBlock(
  bytes: Buffer,
  at: number,
  size: number,
  onMended: () => void,
): Buffer | undefined {
  const end = at + size + 1;
  if (end + 4 > bytes.length) return undefined;
  const stored = bytes.readUInt32LE(end);
  const found = crc32c(bytes, at, end);
  if (unmasked(stored) === found) return bytes.subarray(at, at + size);
  for (let bit = 0; bit < 32; bit++) {
    if (unmasked((stored ^ (1 << bit)) >>> 0) !== found) continue;
    onMended();
    return bytes.subarray(at, at + size);
  }
  const turned = turnedBit(size + 1, found ^ unmasked(stored), CASTAGNOLI);
  if (turned === undefined || turned >= 8 * (size + 1)) return undefined;
  onMended();
  return withBitTurned(bytes.subarray(at, end), turned).subarray(0, size);
}

/** Whether all entries have keys as the engine makes them. */
function isOfEntries(content: Buffer): boolean {
  for (const [key] of blockEntries(content)) if (!isInternalKey(key)) return false;
  return true;
}

function* blockEntries(content: Buffer): Generator<[key: Uint8Array, value: Uint8Array]> {
  const entries = entriesOf(content);
  const reader = new EntryReader(entries);
  let last: Uint8Array = NO_KEY;
  while (!reader.done) {
    const { shared, key, value } = reader.entry();
    if (reader.at > entries.length) return;
    last = shared === 0 ? key : Buffer.concat([last.subarray(0, shared), key]);
    yield [last, value];
  }
}

/** The size of the block that begins here, found by its entries and the list of whole keys after them. */
function sizeOfBlock(bytes: Buffer): number | undefined {
  const reader = new EntryReader(bytes);
  for (let entries = 0; !reader.done; entries++) {
    const at = reader.at;
    const { shared, key, value } = reader.entry();
    const isEnd = shared === 0 && key.length === 0 && value.length === 0;
    if (isEnd && entries > 0) return at + 4 * (Math.ceil(entries / WHOLE_KEY_EVERY) + 1);
    if (isEnd || reader.at > bytes.length) return undefined;
  }
  return undefined;
}
