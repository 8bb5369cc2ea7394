/**
 * Compares the engine's files with its manifest before it opens them: a table that is missing, cut short
 * or in another's place or has a corrupt index, and a log with a hole. The engine maps tables into memory, where
 * reading past the end of a file ends the process silently; it would notice the rest only when it happens
 * to read there, or skip the hole.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreDamagedError } from '../errors.ts';
import type { Contents } from './contents.ts';
import { readWhole } from './failing-reads.ts';
import { readLog } from './level-log.ts';
import { type LiveTable, liveTables } from './level-manifest.ts';
import { TableFile } from './level-table.ts';

/** A log with an incomplete last record. */
export interface TornLog {
  readonly file: string;
  readonly bytes: number;
}

export interface LevelFilesPorts {
  /** A torn end of a log is reported and is no damage. */
  readonly onTorn?: (log: TornLog) => void;
  /** Takes ownership of a table with a sound index, and closes it. */
  readonly onTable?: (table: LiveTable, file: TableFile) => void;
}

/** Returns whether there is a database to open. */
export function checkLevelFiles(
  directory: string,
  contents: Contents,
  { onTorn = () => {}, onTable = (_, file) => file.close() }: LevelFilesPorts = {},
): boolean {
  const damaged = (what: string) =>
    new StoreDamagedError(`the database in ${directory} is damaged: ${what}; ${contents.advice}`);
  const read = (path: string) => readWhole(path, contents.advice);
  const current = join(directory, 'CURRENT');
  if (!existsSync(current)) {
    if (existsSync(directory) && readdirSync(directory).some((file) => isTable(file))) {
      throw damaged('the file CURRENT is missing');
    }
    return false;
  }
  const manifest = join(directory, read(current).toString().trim());
  if (!existsSync(manifest)) throw damaged(`${manifest} is missing`);
  const content = readLog(read(manifest));
  if (content.damaged || content.records.length === 0) {
    throw damaged(`${manifest} is damaged`);
  }
  for (const table of liveTables(content.records)) {
    const path = tablePath(directory, table);
    if (path === undefined) throw damaged(`table ${table.number} is missing`);
    onTable(table, openTable(path, table, contents));
  }
  for (const file of readdirSync(directory)) {
    if (!file.endsWith('.log')) continue;
    const log = readLog(read(join(directory, file)));
    if (log.damaged) throw damaged(`${file} has a hole`);
    if (log.tornBytes > 0) onTorn({ file: join(directory, file), bytes: log.tornBytes });
  }
  return true;
}

/** Says which table is longer or shorter than the manifest says, as far as that can be read while the engine is at work. */
export function tableOfWrongSize(directory: string): string | undefined {
  try {
    return wrongSizeIn(directory);
  } catch {
    return undefined; // The caller has an error already.
  }
}

function wrongSizeIn(directory: string): string | undefined {
  const current = readFileSync(join(directory, 'CURRENT'), 'latin1').trim();
  for (const table of liveTables(readLog(readFileSync(join(directory, current))).records)) {
    const path = tablePath(directory, table) ?? directory;
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile() === true && found.size !== table.size)
      return `${path} has ${found.size} bytes instead of ${table.size}`;
  }
  return undefined;
}

function isTable(file: string): boolean {
  return file.endsWith('.ldb') || file.endsWith('.sst');
}

function tablePath(directory: string, { number }: LiveTable): string | undefined {
  const name = String(number).padStart(6, '0');
  return ['.ldb', '.sst'].map((end) => join(directory, name + end)).find(existsSync);
}

function openTable(path: string, table: LiveTable, contents: Contents): TableFile {
  const file = new TableFile(path, table, contents);
  try {
    file.checkIndex();
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}
