/**
 * Reads the table files of a database again and checks every block against the engine's own checksum, which the
 * binding leaves unchecked: corruption is found before a reader or a compaction meets it, also corruption of keys, which makes
 * records vanish silently. After a compaction the block has a fresh checksum, and that of the record shows the damage.
 * Table files never change; one that a compaction removed meanwhile is skipped.
 */
import { join } from 'node:path';
import type { Contents } from './contents.ts';
import { readWhole } from './failing-reads.ts';
import { readLog } from './level-log.ts';
import { type LiveTable, liveTables } from './level-manifest.ts';
import { TableFile } from './level-table.ts';

export interface ScrubOptions {
  readonly contents: Contents;
  /** `pause` is awaited after each piece of about this many bytes; where it says false, the scrub ends. */
  readonly pieceBytes: number;
  readonly pause: () => Promise<boolean>;
  /** Which tables are read; all by default. */
  readonly select?: (tables: readonly LiveTable[]) => readonly LiveTable[];
}

/**
 * Reads the complete tables of a database, open or not. Throws `StoreDamagedError` with the names of
 * what a damaged file contains; returns how many bytes were found sound.
 */
export async function scrubTables(
  directory: string,
  { select = (tables) => tables, ...options }: ScrubOptions,
): Promise<number> {
  const read = (name: string) => readWhole(join(directory, name), options.contents.advice);
  const manifest = read('CURRENT').toString().trim();
  let bytes = 0;
  const { records } = readLog(read(manifest));
  for (const table of select(liveTables(records))) {
    const isWanted = await scrubTable(directory, table, options);
    if (!isWanted) return bytes;
    bytes += table.size;
  }
  return bytes;
}

async function scrubTable(
  directory: string,
  table: LiveTable,
  { contents, pieceBytes, pause }: ScrubOptions,
): Promise<boolean> {
  const path = join(directory, `${String(table.number).padStart(6, '0')}.ldb`);
  const file = openIfThere(path, table, contents);
  if (file === undefined) return true;
  try {
    let since = 0;
    const index = file.checkIndex();
    for (let at = 0; at < index.count; at++) {
      const block = index.block(at);
      file.checkRecords(block);
      since += block.size;
      if (since < pieceBytes) continue;
      since = 0;
      if (!(await pause())) return false;
    }
    return true;
  } finally {
    file.close();
  }
}

function openIfThere(path: string, table: LiveTable, contents: Contents): TableFile | undefined {
  try {
    return new TableFile(path, table, contents);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
