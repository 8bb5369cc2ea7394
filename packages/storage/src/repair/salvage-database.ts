/**
 * Reads everything that is left of a damaged database of the engine, without the engine: the newest version of each
 * key out of all tables and logs, in the order of keys. Nothing is written.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../key-value/key-value-store.ts';
import { readPastHoles } from '../open/failing-reads.ts';
import { readLog } from '../open/level-log.ts';
import { type LiveFiles, liveFiles } from '../open/level-manifest.ts';
import { EntryReader } from '../open/table-entries.ts';
import { mendLog } from './mend-log.ts';
import { salvageLogs } from './salvage-log.ts';
import { LAST_KEY, type SalvagePorts, salvageTable, type TableToSalvage } from './salvage-table.ts';
import { compareVersions, userKeyOf, type Version } from './versions.ts';

export interface DatabaseSalvagePorts extends SalvagePorts {
  /** Called if the newest batches are lost, with the file; what is left ends with a whole batch before them. */
  readonly onShortened: (path: string) => void;
}

/** Enough for the first key of a table. */
const FIRST_KEY_BYTES = 512;
const TABLE_NAME = /^(\d+)\.(?:ldb|sst)$/;
const LOG_NAME = /^(\d+)\.log$/;

export function* salvageDatabase(directory: string, ports: DatabaseSalvagePorts): Generator<Entry> {
  const live = readManifest(directory, ports.onMended);
  const tables = live === undefined ? tablesIn(directory) : namedTables(directory, live, ports);
  const logs = logsIn(directory, live?.logNumber ?? 0);
  const { versions, brokenAt } = salvageLogs(logs, ports.onMended);
  if (brokenAt !== undefined) ports.onShortened(brokenAt);
  let last: Uint8Array | undefined;
  for (const { key, value } of merged(tables, versions, ports)) {
    if (last !== undefined && Buffer.compare(last, key) === 0) continue;
    last = key;
    if (value !== undefined) yield [key, value];
  }
}

/** Undefined if the manifest is not whole: it may name missing tables and lack others. */
function readManifest(directory: string, onMended: (what: string) => void): LiveFiles | undefined {
  const names = readdirSync(directory).filter((name) => name.startsWith('MANIFEST-'));
  const path = names.sort().at(-1);
  if (path === undefined) return undefined;
  const { bytes, mended } = mendLog(readPastHoles(join(directory, path)));
  if (mended > 0) onMended(join(directory, path));
  const { records, damaged, tornBytes } = readLog(bytes);
  if (damaged || tornBytes > 0 || records.length === 0) return undefined;
  return liveFiles(records);
}

function namedTables(
  directory: string,
  { tables }: LiveFiles,
  { onLoss }: SalvagePorts,
): TableToSalvage[] {
  const found: TableToSalvage[] = [];
  for (const { number, smallest, largest } of tables) {
    const path = join(directory, `${String(number).padStart(6, '0')}.ldb`);
    if (existsSync(path)) found.push({ path, smallest, largest });
    else
      onLoss({ from: userKeyOf(smallest), to: userKeyOf(largest), reason: `${path} is missing` });
  }
  return found;
}

/** All table files, also those that a crash has left behind: sequence numbers show which records are newer. */
function tablesIn(directory: string): TableToSalvage[] {
  return readdirSync(directory)
    .filter((name) => TABLE_NAME.test(name))
    .map((name) => join(directory, name))
    .map((path) => ({ path, smallest: firstKeyOf(path), largest: undefined }));
}

function firstKeyOf(path: string): Uint8Array {
  return new EntryReader(readPastHoles(path, FIRST_KEY_BYTES)).entry().key;
}

function logsIn(directory: string, first: number): string[] {
  return readdirSync(directory)
    .map((name) => ({ name, number: Number(LOG_NAME.exec(name)?.[1] ?? -1) }))
    .filter(({ number }) => number >= first && number >= 0)
    .sort((a, b) => a.number - b.number)
    .map(({ name }) => join(directory, name));
}

/** Opens a table when the merge has come to its first key: those of one level follow each other. */
function* merged(
  tables: readonly TableToSalvage[],
  logged: readonly Version[],
  ports: SalvagePorts,
): Generator<Version> {
  const waiting = tables.toSorted((a, b) => Buffer.compare(b.smallest, a.smallest));
  const active: { readonly rest: Iterator<Version>; next: Version }[] = [];
  const start = (rest: Iterator<Version>): void => {
    const { value, done } = rest.next();
    if (done !== true) active.push({ rest, next: value });
  };
  start(logged[Symbol.iterator]());
  while (active.length > 0 || waiting.length > 0) {
    let least = leastOf(active);
    const bound = least?.next.key ?? LAST_KEY;
    const nearest = waiting.at(-1);
    if (
      nearest !== undefined &&
      (least === undefined || Buffer.compare(userKeyOf(nearest.smallest), bound) <= 0)
    ) {
      waiting.pop();
      start(salvageTable(nearest, ports));
      continue;
    }
    least = least as NonNullable<typeof least>;
    yield least.next;
    const { value, done } = least.rest.next();
    if (done === true) active.splice(active.indexOf(least), 1);
    else least.next = value;
  }
}

function leastOf<T extends { readonly next: Version }>(active: readonly T[]): T | undefined {
  let least: T | undefined;
  for (const one of active)
    if (least === undefined || compareVersions(one.next, least.next) < 0) least = one;
  return least;
}
