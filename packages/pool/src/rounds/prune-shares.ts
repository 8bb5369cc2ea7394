/**
 * Removes shares that no window can reach any more: those before the window of the oldest block that waits for its
 * reward, and of a block that the chain may still report.
 */
import { bigintOf, integerOf, type Sql } from '../database/database.ts';
import { readWindow } from './read-window.ts';

/** Longer than a block can wait for its reward. */
const HEIGHTS_KEPT = 200;

export async function pruneShares(sql: Sql, height: number, windowWork: bigint): Promise<void> {
  const [old] = await sql.rows(
    'SELECT COALESCE(MAX(number), 0) AS last FROM shares WHERE height <= $1',
    [Math.max(0, height - HEIGHTS_KEPT)],
  );
  const open = await sql.rows("SELECT last_share, window_work FROM blocks WHERE state = 'found'");
  let lastShare = old === undefined ? 0 : integerOf(old, 'last');
  let work = windowWork;
  for (const block of open) {
    lastShare = Math.min(lastShare, integerOf(block, 'last_share'));
    const own = bigintOf(block, 'window_work');
    if (own > work) work = own;
  }
  const { firstShare } = await readWindow(sql, lastShare, work);
  if (firstShare > 0) await sql.rows('DELETE FROM shares WHERE number < $1', [firstShare]);
}
