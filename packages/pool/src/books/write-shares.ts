/**
 * Writes a batch of accepted shares in one transaction: the rows that windows are read from, the sums of each worker,
 * the steps of the charts, and the blocks among them.
 */
import type { RoundMode } from 'svc-mining';
import { bigintOf, type Sql } from '../database/database.ts';
import { nextNumber } from './books.ts';
import { addToHistory } from './work-history.ts';

export interface FoundBlock {
  readonly blockId: string;
  readonly anchorHeight: number;
  readonly expiresHeight: number;
  /** Over how much work its reward is distributed. */
  readonly windowWork: bigint;
}

export interface AcceptedShare {
  readonly mode: RoundMode;
  readonly address: string;
  readonly worker: string;
  readonly work: bigint;
  /** The work that a block took on average when the share was accepted. */
  readonly blockWork: bigint;
  /** The finalized head when the share was accepted. */
  readonly height: number;
  readonly timeMillis: number;
  readonly block?: FoundBlock;
}

interface ShareRun extends AcceptedShare {
  readonly shares: number;
}

export async function writeShares(sql: Sql, shares: readonly AcceptedShare[]): Promise<void> {
  let number = await nextNumber(sql, 'shares');
  let blockNumber = await nextNumber(sql, 'blocks');
  for (const run of runsOf(shares)) {
    const { mode, address, worker, work, height, timeMillis } = run;
    await sql.rows('INSERT INTO shares VALUES ($1, $2, $3, $4, $5, $6, $7, $8)', [
      number,
      mode,
      address,
      worker,
      run.shares,
      String(work),
      height,
      timeMillis,
    ]);
    await addToWorker(sql, run);
    if (run.block !== undefined) await writeBlock(sql, run, run.block, number, blockNumber++);
    number++;
  }
  await addToHistory(sql, shares);
}

/** Shares of one worker that follow each other as one; a block ends its run. */
function runsOf(shares: readonly AcceptedShare[]): ShareRun[] {
  const runs: ShareRun[] = [];
  for (const share of shares) {
    const last = runs.at(-1);
    const isSame =
      last !== undefined &&
      last.block === undefined &&
      last.mode === share.mode &&
      last.address === share.address &&
      last.worker === share.worker &&
      last.height === share.height;
    if (isSame)
      runs[runs.length - 1] = { ...share, work: last.work + share.work, shares: last.shares + 1 };
    else runs.push({ ...share, shares: 1 });
  }
  return runs;
}

async function addToWorker(sql: Sql, run: ShareRun): Promise<void> {
  const { address, worker, shares, work, timeMillis } = run;
  const key = [address, worker] as const;
  const [row] = await sql.rows(
    'SELECT shares, work FROM workers WHERE address = $1 AND worker = $2',
    key,
  );
  if (row === undefined) {
    const values = [...key, shares, String(work), timeMillis];
    await sql.rows('INSERT INTO workers VALUES ($1, $2, $3, $4, $5)', values);
    return;
  }
  await sql.rows(
    'UPDATE workers SET shares = $3, work = $4, last_share_millis = $5 WHERE address = $1 AND worker = $2',
    [
      ...key,
      bigintOf(row, 'shares') + BigInt(shares),
      String(bigintOf(row, 'work') + work),
      timeMillis,
    ],
  );
}

async function writeBlock(
  sql: Sql,
  { mode, address, worker, work, timeMillis }: ShareRun,
  { blockId, anchorHeight, expiresHeight, windowWork }: FoundBlock,
  lastShare: number,
  number: number,
): Promise<void> {
  await sql.rows(
    `INSERT INTO blocks VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'found')
     ON CONFLICT (block_id) DO NOTHING`,
    [
      blockId,
      number,
      mode,
      address,
      worker,
      anchorHeight,
      expiresHeight,
      String(work),
      String(windowWork),
      lastShare,
      timeMillis,
    ],
  );
}
