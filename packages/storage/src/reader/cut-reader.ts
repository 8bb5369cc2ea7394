/**
 * Reads cuts and what is in them.
 */
import { toHex } from 'svc-wasm/base';
import { decodeCutBody } from 'svc-wasm/protocol';
import {
  type CertificateRow,
  type ChangeRow,
  type CutRow,
  expectLimit,
  type OutcomeRow,
  PAGE_LIMITS,
  type Page,
  type PageRequest,
} from '../chain-reader.ts';
import { expectChecksum } from '../codec/checksum.ts';
import { type Codec, unpacked } from '../codec/codec.ts';
import { changesCodec, outcomesCodec } from '../codec/index-records.ts';
import { Packer } from '../codec/packer.ts';
import { ID_BYTES } from '../codec/sizes.ts';
import { Unpacker } from '../codec/unpacker.ts';
import { heightKey, hexKey } from '../commit/keys.ts';
import { CHANGES_PER_RECORD, OUTCOMES_PER_RECORD } from '../commit/write-indexes.ts';
import type { Entry, KeyValueReader } from '../key-value/key-value-store.ts';
import { rangeOf, type StoreTable } from '../layout.ts';

const RECENT_CUTS_MAX = 1_024;
const CUTS_AT_ONCE = 32;

/** The value of a checked record. */
export function readChecked(
  reader: KeyValueReader,
  table: StoreTable,
  key: Uint8Array,
): Uint8Array | undefined {
  const record = reader.getSync(key);
  return record === undefined ? undefined : new Uint8Array(expectChecksum(key, record, table));
}

export function readCut(reader: KeyValueReader, height: number): CutRow | undefined {
  const key = heightKey('headers', height);
  const record = reader.getSync(key);
  return record === undefined ? undefined : cutRow([key, record]);
}

export function readCutById(reader: KeyValueReader, cutId: string): CutRow | undefined {
  const record = reader.getSync(hexKey('cutIds', cutId));
  return record === undefined
    ? undefined
    : readCut(reader, new Unpacker(record, 'cutIds').number());
}

function cutRow([key, record]: Entry): CutRow {
  const unpacker = new Unpacker(expectChecksum(key, record, 'headers'), 'headers');
  const height = new Unpacker(key.subarray(1), 'headers').numberOrdered();
  return { height, cutId: unpacker.hex(ID_BYTES), header: unpacker.raw(unpacker.left) };
}

export async function readCuts(
  reader: KeyValueReader,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<Page<CutRow, number>> {
  expectLimit(limit, PAGE_LIMITS.cuts);
  const range = rangeOf('headers');
  const to = before === undefined ? range.to : heightKey('headers', before);
  const entries = await reader.range({ from: range.from, to, limit: limit + 1, reverse: true });
  const rows = entries.slice(0, limit).map(cutRow);
  return { rows, next: entries.length > limit ? (rows.at(-1)?.height ?? null) : null };
}

/** The certificate of the highest of these cuts that has one. */
export async function readLastCertificate(
  reader: KeyValueReader,
  from: number,
  last: number,
): Promise<CertificateRow | undefined> {
  const [entry] = await reader.range({
    from: heightKey('certificates', from),
    to: heightKey('certificates', last + 1),
    limit: 1,
    reverse: true,
  });
  if (entry === undefined) return undefined;
  const [key, record] = entry;
  const height = new Unpacker(key.subarray(1), 'certificates').numberOrdered();
  return { height, certificate: new Uint8Array(expectChecksum(key, record, 'certificates')) };
}

interface PagedTable<T> {
  readonly table: StoreTable;
  readonly codec: Codec<readonly T[]>;
  readonly perRecord: number;
}

const OUTCOMES = {
  table: 'cutTransactions',
  codec: outcomesCodec,
  perRecord: OUTCOMES_PER_RECORD,
} as const;
const CHANGES = { table: 'changes', codec: changesCodec, perRecord: CHANGES_PER_RECORD } as const;

export async function readCutTransactions(
  reader: KeyValueReader,
  height: number,
  page: PageRequest<number>,
): Promise<Page<OutcomeRow, number>> {
  expectLimit(page.limit, PAGE_LIMITS.cutTransactions);
  const { rows, next } = await readPaged(reader, OUTCOMES, height, page);
  return { rows: rows.map(({ index, item }) => ({ height, index, outcome: item })), next };
}

export async function readCutChanges(
  reader: KeyValueReader,
  height: number,
  page: PageRequest<number>,
): Promise<Page<ChangeRow, number>> {
  expectLimit(page.limit, PAGE_LIMITS.cutChanges);
  const { rows, next } = await readPaged(reader, CHANGES, height, page);
  return { rows: rows.map(({ index, item }) => ({ index, entry: item })), next };
}

async function readPaged<T>(
  reader: KeyValueReader,
  { table, codec, perRecord }: PagedTable<T>,
  height: number,
  { after = -1, limit }: PageRequest<number>,
): Promise<Page<{ index: number; item: T }, number>> {
  const start = after + 1;
  const { to } = rangeOf(table, heightKey(table, height).subarray(1));
  const from = pageKey(table, height, start - (start % perRecord));
  const records = Math.ceil((limit + 1) / perRecord) + 1;
  const entries = await reader.range({ from, to, limit: records });
  const rows = entries
    .flatMap(([key, value]) => {
      const first = new Unpacker(key.subarray(8), table).u32Ordered();
      return unpacked(codec, value, table).map((item, place) => ({ index: first + place, item }));
    })
    .filter(({ index }) => index >= start)
    .slice(0, limit + 1);
  const more = rows.length > limit;
  return { rows: rows.slice(0, limit), next: more ? (rows[limit - 1]?.index ?? null) : null };
}

function pageKey(table: StoreTable, height: number, first: number): Uint8Array {
  return new Packer().raw(heightKey(table, height)).u32Ordered(first).finish();
}

/** The newest outcomes of all cuts, newest first. */
export async function readRecentTransactions(
  reader: KeyValueReader,
  limit: number,
): Promise<OutcomeRow[]> {
  expectLimit(limit, PAGE_LIMITS.recent);
  const range = rangeOf('cutTransactions');
  const rows: OutcomeRow[] = [];
  let to = range.to;
  while (rows.length < limit) {
    const wanted = Math.ceil((limit - rows.length) / OUTCOMES_PER_RECORD) + 1;
    const entries = await reader.range({ from: range.from, to, limit: wanted, reverse: true });
    for (const [key, value] of entries) {
      const unpacker = new Unpacker(key.subarray(1), 'cutTransactions');
      const height = unpacker.numberOrdered();
      const first = unpacker.u32Ordered();
      const outcomes = unpacked(outcomesCodec, value, 'cutTransactions');
      for (let place = outcomes.length - 1; place >= 0; place--) {
        const outcome = outcomes[place];
        if (outcome !== undefined) rows.push({ height, index: first + place, outcome });
      }
      to = key;
    }
    if (entries.length < wanted) break;
  }
  return rows.slice(0, limit);
}

/** Newest first, of the newest cuts alone: a chain whose miners have left is not walked to its start. */
export async function readRecentBlockIds(reader: KeyValueReader, limit: number): Promise<string[]> {
  expectLimit(limit, PAGE_LIMITS.recent);
  const { from, to: end } = rangeOf('cutBodies');
  const ids: string[] = [];
  for (let to = end, seen = 0; ids.length < limit && seen < RECENT_CUTS_MAX; ) {
    const entries = await reader.range({ from, to, limit: CUTS_AT_ONCE, reverse: true });
    for (const [key, value] of entries) {
      const { blockIds } = decodeCutBody(expectChecksum(key, value, 'cutBodies'));
      ids.push(...blockIds.map((id) => toHex(id)).reverse());
      to = key;
    }
    if (entries.length < CUTS_AT_ONCE) break;
    seen += entries.length;
  }
  return ids.slice(0, limit);
}
