/**
 * Opens the database of a chain with everything that is checked about its files: manifest, logs and indexes at once,
 * data blocks before the first answer that comes out of them, records at every read.
 */
import type { BodyFilesOptions } from '../bodies/body-files.ts';
import { BodyStore } from '../bodies/body-store.ts';
import { BlockCheckedStore } from '../key-value/block-checked-store.ts';
import { ChecksummedStore } from '../key-value/checksummed-store.ts';
import type { KeyRange, KeyValueStore } from '../key-value/key-value-store.ts';
import { type LevelOptions, LevelStore } from '../key-value/level-store.ts';
import { CHAIN_CONTENTS } from './contents.ts';
import { checkLevelFiles } from './level-files.ts';
import { scrubTables } from './scrub.ts';
import { tablesToCompact } from './tables-to-compact.ts';
import { UncheckedTable } from './unchecked-table.ts';
import { UncheckedTables } from './unchecked-tables.ts';

/** Files that are kept open until all their blocks were checked, 128 GB of them; more are left to the scrub. */
const UNCHECKED_TABLES_MAX = 8_192;
/** Half a millisecond of work. */
const CHECKED_PIECE_BYTES = 256 << 10;

export interface CheckedLevel {
  readonly store: KeyValueStore;
  readonly bodies: BodyStore;
  /** Closed with the store. */
  readonly unchecked: UncheckedTables;
}

export async function openCheckedLevel(
  database: string,
  options: LevelOptions & BodyFilesOptions,
): Promise<CheckedLevel> {
  const tables: UncheckedTable[] = [];
  try {
    checkLevelFiles(database, CHAIN_CONTENTS, {
      onTable: (table, file) => {
        if (tables.length < UNCHECKED_TABLES_MAX) tables.push(new UncheckedTable(table, file));
        else file.close();
      },
    });
    const engine = await LevelStore.open(database, { ...options, hasWriter: true });
    const unchecked = new UncheckedTables(tables);
    const checked = new BlockCheckedStore(engine, unchecked, (range) =>
      checkBeforeCompaction(database, range),
    );
    const bodies = await BodyStore.open(checked, database, options);
    return { store: new ChecksummedStore(bodies), bodies, unchecked };
  } catch (error) {
    for (const table of tables) table.close();
    throw error;
  }
}

/** Yields after each piece. Records need no check of their own here: the checksum of their block covers them. */
async function checkBeforeCompaction(database: string, range: KeyRange): Promise<void> {
  const { tablesBetween, advice } = CHAIN_CONTENTS;
  await scrubTables(database, {
    contents: { tablesBetween, advice },
    pieceBytes: CHECKED_PIECE_BYTES,
    pause: () => new Promise((resolve) => void setImmediate(() => resolve(true))),
    select: (tables) => tablesToCompact(tables, range),
  });
}
