/**
 * Opens a database of blocks that wait for a cut. Every byte of its tables is checked first: they are few, and nothing
 * else would distinguish a lost block from one that never came.
 */
import { StoreDamagedError } from '../errors.ts';
import { LevelStore } from '../key-value/level-store.ts';
import { POOL_CONTENTS } from './contents.ts';
import { checkLevelFiles, type TornLog } from './level-files.ts';
import { scrubTables } from './scrub.ts';

const PIECE_BYTES = 4 << 20;

/** Throws `StoreDamagedError` if the files are not what was written; a torn end of a log is reported. */
export async function openPoolDatabase(
  directory: string,
  onTorn: (log: TornLog) => void,
): Promise<LevelStore> {
  if (checkLevelFiles(directory, POOL_CONTENTS, { onTorn })) {
    const pause = () => new Promise<boolean>((resolve) => void setImmediate(() => resolve(true)));
    await scrubTables(directory, { contents: POOL_CONTENTS, pieceBytes: PIECE_BYTES, pause });
  }
  try {
    return await LevelStore.open(directory);
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if ((cause as { code?: unknown } | undefined)?.code !== 'LEVEL_CORRUPTION') throw error;
    throw new StoreDamagedError(
      `the database in ${directory} cannot be opened (${(cause as Error).message}); ${POOL_CONTENTS.advice}`,
      { cause },
    );
  }
}
