/**
 * A development network in memory as bytes, so that another process goes on with it: the genesis, the time, and everything
 * that its disks hold. The bytes are compressed and carry the checksum of gzip. They are for networks whose keys are public
 * and for the release that made them; nothing else may read them.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import { formatGenesis, type Genesis, parseGenesis } from 'svc-ledger';
import type { Entry } from 'svc-storage';

/** What disks hold, by the name of the part; the entries of a part have different keys. */
export type DiskParts = ReadonlyMap<string, readonly Entry[]>;

export interface Dump {
  readonly genesis: Genesis;
  /** The time by which cuts were made when the network was dumped. */
  readonly nowMillis: number;
  readonly parts: DiskParts;
}

interface Head {
  readonly format: string;
  readonly now_millis: number;
  readonly genesis: string;
  readonly parts: readonly (readonly [name: string, entries: number])[];
}

const FORMAT = 'svc-devnet-1';
const LENGTH_BYTES = 4;
/** Before compression; more than a network that runs for days in memory can have. */
const DUMP_BYTES_MAX = 2 ** 31;
const FAST = 1;

/** Throws a `RangeError` if the network has grown beyond what can be loaded again. */
export function encodeDump({ genesis, nowMillis, parts }: Dump): Uint8Array {
  const head: Head = {
    format: FORMAT,
    now_millis: nowMillis,
    genesis: formatGenesis(genesis),
    parts: [...parts].map(([name, entries]) => [name, entries.length]),
  };
  const pieces = [...prefixed(Buffer.from(JSON.stringify(head)))];
  for (const entries of parts.values())
    for (const [key, value] of entries) pieces.push(...prefixed(key), ...prefixed(value));
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (bytes > DUMP_BYTES_MAX)
    throw new RangeError(`the network has ${bytes} bytes; a dump has at most ${DUMP_BYTES_MAX}`);
  return new Uint8Array(gzipSync(Buffer.concat(pieces), { level: FAST }));
}

/** Throws a `RangeError` if the bytes are no whole dump of this release. The kernel must be loaded before. */
export function decodeDump(bytes: Uint8Array): Dump {
  const fields = new FieldReader(inflate(bytes));
  const head = parseHead(fields.next());
  const parts = new Map<string, Entry[]>();
  for (const [name, count] of head.parts) {
    const entries: Entry[] = [];
    for (let read = 0; read < count; read++) entries.push([fields.next(), fields.next()]);
    parts.set(name, entries);
  }
  fields.expectEnd();
  return { genesis: readGenesis(head.genesis), nowMillis: head.now_millis, parts };
}

function readGenesis(text: string): Genesis {
  try {
    return parseGenesis(text);
  } catch (cause) {
    throw new RangeError('the genesis of the dump is none', { cause });
  }
}

function prefixed(bytes: Uint8Array): [Uint8Array, Uint8Array] {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(bytes.length);
  return [length, bytes];
}

function inflate(bytes: Uint8Array): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: DUMP_BYTES_MAX });
  } catch (cause) {
    throw new RangeError('the bytes are no dump of a development network', { cause });
  }
}

function parseHead(bytes: Uint8Array): Head {
  let head: Partial<Record<keyof Head, unknown>>;
  try {
    head = Object(JSON.parse(Buffer.from(bytes).toString())) as typeof head;
  } catch (cause) {
    throw new RangeError('the bytes are no dump of a development network', { cause });
  }
  if (head.format !== FORMAT)
    throw new RangeError(
      `expected a dump of the format ${FORMAT}; make it again with this release`,
    );
  const { parts, genesis, now_millis } = head;
  const isWhole = typeof genesis === 'string' && isCount(now_millis) && areParts(parts);
  if (!isWhole)
    throw new RangeError('the head of the dump lacks a field, or has one of another type');
  return { format: FORMAT, now_millis, genesis, parts };
}

function areParts(value: unknown): value is Head['parts'] {
  return Array.isArray(value) && value.every(isPart);
}

function isPart(value: unknown): boolean {
  return Array.isArray(value) && typeof value[0] === 'string' && isCount(value[1]);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

class FieldReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  next(): Uint8Array {
    const from = this.#at + LENGTH_BYTES;
    if (from > this.#bytes.length) throw new RangeError('the dump ends too early');
    const to = from + this.#bytes.readUInt32LE(this.#at);
    if (to > this.#bytes.length) throw new RangeError('the dump ends too early');
    this.#at = to;
    return new Uint8Array(this.#bytes.subarray(from, to));
  }

  expectEnd(): void {
    if (this.#at !== this.#bytes.length) throw new RangeError('bytes follow the end of the dump');
  }
}
