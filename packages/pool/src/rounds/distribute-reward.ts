/**
 * Turns a paid block into a round, within one transaction: the round, the balances and the mark on the block come
 * together or not at all, and a block has one round at most.
 */
import { closeRound, FIRST_ROOT, type Round, roundDocument, roundRoot } from 'svc-mining';
import { nextNumber, readMeta, writeMeta } from '../books/books.ts';
import { bigintOf, integerOf, type Sql, type SqlRow, textOf } from '../database/database.ts';
import { readWindow } from './read-window.ts';

/** A reward that the chain paid to the pool. */
export interface PaidReward {
  readonly blockId: string;
  readonly atoms: bigint;
  readonly height: number;
  /** For a block that was submitted and not written down, because the program was killed in between. */
  readonly unrecorded?: {
    /** The newest head that the block can have been found at: the cut before the one that registered it. */
    readonly newestHead: number;
    readonly windowWork: bigint;
  };
}

export interface DistributionOptions {
  readonly feeBasisPoints: bigint;
}

/** Undefined if the block has a round already. */
export async function distributeReward(
  sql: Sql,
  reward: PaidReward,
  options: DistributionOptions,
): Promise<Round | undefined> {
  const { blockId, atoms, height } = reward;
  const [known] = await sql.rows('SELECT number FROM rounds WHERE block_id = $1', [blockId]);
  if (known !== undefined) return undefined;
  const number = await nextNumber(sql, 'rounds');
  const share = await shareOf(sql, reward);
  const round = closeRound(
    {
      number,
      previousRoot: await rootOf(sql, number - 1),
      mode: share.mode,
      blockId,
      reward: atoms,
      feeBasisPoints: options.feeBasisPoints,
      carried: BigInt(await readMeta(sql, 'carried')),
      windowWork: share.windowWork,
      fromHeight: share.fromHeight,
      toHeight: share.toHeight,
    },
    share.entries,
  );
  const root = roundRoot(round);
  const document = JSON.stringify(roundDocument(round, root));
  const values = [number, blockId, height, root, document];
  await sql.rows('INSERT INTO rounds VALUES ($1, $2, $3, $4, $5)', values);
  for (const { address, atoms: credit } of round.entries) await credited(sql, address, credit);
  await writeMeta(sql, 'carried', String(round.leftover));
  await writeMeta(sql, 'fees', String(BigInt(await readMeta(sql, 'fees')) + round.fee));
  await sql.rows("UPDATE blocks SET state = 'paid' WHERE block_id = $1", [blockId]);
  return round;
}

export async function rootOf(sql: Sql, round: number): Promise<string> {
  if (round < 1) return FIRST_ROOT;
  const [row] = await sql.rows('SELECT root FROM rounds WHERE number = $1', [round]);
  if (row === undefined) throw new Error(`the books lack round ${round}`);
  return textOf(row, 'root');
}

/** The shares that the block pays: its finder's alone, or those of the window before it. */
async function shareOf(sql: Sql, { blockId, unrecorded }: PaidReward) {
  const [block] = await sql.rows('SELECT * FROM blocks WHERE block_id = $1', [blockId]);
  if (block === undefined) {
    if (unrecorded === undefined) throw new Error(`the books lack block ${blockId}`);
    const { newestHead, windowWork } = unrecorded;
    const lastShare = await lastShareAt(sql, newestHead);
    return {
      mode: 'pplns',
      windowWork,
      ...(await readWindow(sql, lastShare, windowWork)),
    } as const;
  }
  if (textOf(block, 'mode') === 'solo') return soloShare(block);
  const own = bigintOf(block, 'window_work');
  const window = await readWindow(sql, integerOf(block, 'last_share'), own);
  return { mode: 'pplns', windowWork: own, ...window } as const;
}

function soloShare(block: SqlRow) {
  const work = bigintOf(block, 'work');
  const height = integerOf(block, 'anchor_height');
  return {
    mode: 'solo',
    windowWork: work,
    entries: [{ account: textOf(block, 'address'), work }],
    fromHeight: height,
    toHeight: height,
  } as const;
}

/** The newest share that came in while the head was at the height at most. */
async function lastShareAt(sql: Sql, height: number): Promise<number> {
  const [row] = await sql.rows(
    "SELECT COALESCE(MAX(number), 0) AS last FROM shares WHERE height <= $1 AND mode = 'pplns'",
    [height],
  );
  return row === undefined ? 0 : integerOf(row, 'last');
}

async function credited(sql: Sql, address: string, atoms: bigint): Promise<void> {
  await sql.rows(
    `INSERT INTO accounts (address, balance, earned, held) VALUES ($1, $2, $2, NULL)
     ON CONFLICT (address) DO UPDATE SET balance = accounts.balance + $2, earned = accounts.earned + $2`,
    [address, atoms],
  );
}
