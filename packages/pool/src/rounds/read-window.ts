/**
 * Windows of work, read back from the shares in the books: the newest shares up to a block whose work fills the
 * window.
 */
import { type WindowEntry, windowOf } from 'svc-mining';
import { bigintOf, integerOf, type Sql, textOf } from '../database/database.ts';

export interface ShareWindow {
  readonly entries: readonly WindowEntry[];
  /** Number of the oldest share in the window; 0 if it is empty. */
  readonly firstShare: number;
  readonly fromHeight: number;
  readonly toHeight: number;
}

const ROWS = 1_000;

export async function readWindow(
  sql: Sql,
  lastShare: number,
  windowWork: bigint,
): Promise<ShareWindow> {
  const newestFirst: WindowEntry[] = [];
  const heights: number[] = [];
  let firstShare = 0;
  let room = windowWork;
  for (let before = lastShare + 1; room > 0n; before = firstShare) {
    const rows = await sql.rows(
      `SELECT number, address, work, height FROM shares
       WHERE mode = 'pplns' AND number < $1 ORDER BY number DESC LIMIT ${ROWS}`,
      [before],
    );
    for (const row of rows) {
      if (room <= 0n) break;
      const work = bigintOf(row, 'work');
      newestFirst.push({ account: textOf(row, 'address'), work });
      heights.push(integerOf(row, 'height'));
      firstShare = integerOf(row, 'number');
      room -= work;
    }
    if (rows.length < ROWS) break;
  }
  const entries = windowOf(newestFirst, windowWork);
  return { entries, firstShare, fromHeight: heights.at(-1) ?? 0, toHeight: heights[0] ?? 0 };
}
