/**
 * The work of the last day in steps of ten minutes, for the charts: of the pool as a whole and of each address. Work is
 * a floating point number here, since charts round it anyway; coins are distributed by the shares and never by this
 * table.
 */
import { integerOf, numberOf, type Sql, type SqlRow } from '../database/database.ts';

/** What the charts need of an accepted share. */
export interface HistoryShare {
  readonly address: string;
  readonly work: bigint;
  /** The work that a block takes on average. */
  readonly blockWork: bigint;
  readonly timeMillis: number;
  /** There for a share that is a block. */
  readonly block?: object;
}

/** What came in within one step. */
export interface HistoryStep {
  readonly fromMillis: number;
  readonly work: number;
  readonly blocks: number;
  /** How many blocks so much work finds on average. */
  readonly expectedBlocks: number;
}

export const STEP_MILLIS = 600_000;
/** A day. */
export const HISTORY_STEPS_MAX = 144;

/** Stands for all miners together in the column of addresses. */
const ALL_MINERS = '';

interface StepSum {
  readonly address: string;
  readonly step: number;
  work: number;
  blocks: number;
  expectedBlocks: number;
}

export async function addToHistory(sql: Sql, shares: readonly HistoryShare[]): Promise<void> {
  for (const { address, step, work, blocks, expectedBlocks } of sumsOf(shares))
    await sql.rows(
      `INSERT INTO history VALUES ($1, $2, $3, $4, $5) ON CONFLICT (address, step) DO UPDATE SET
         work = history.work + excluded.work, blocks = history.blocks + excluded.blocks,
         expected_blocks = history.expected_blocks + excluded.expected_blocks`,
      [address, step, work, blocks, expectedBlocks],
    );
}

function sumsOf(shares: readonly HistoryShare[]): Iterable<StepSum> {
  const sums = new Map<string, StepSum>();
  for (const share of shares) {
    const step = stepOf(share.timeMillis);
    for (const address of [ALL_MINERS, share.address]) {
      const key = `${address} ${step}`;
      const sum = sums.get(key) ?? { address, step, work: 0, blocks: 0, expectedBlocks: 0 };
      sum.work += Number(share.work);
      sum.blocks += share.block === undefined ? 0 : 1;
      sum.expectedBlocks += Number(share.work) / Number(share.blockWork);
      sums.set(key, sum);
    }
  }
  return sums.values();
}

/** The newest finished steps, oldest first, of one address or of all; steps without work are included. */
export async function readHistory(
  sql: Sql,
  { address = ALL_MINERS, nowMillis, steps }: HistoryRange,
): Promise<HistoryStep[]> {
  const end = stepOf(nowMillis);
  const first = end - Math.min(steps, HISTORY_STEPS_MAX);
  const rows = await sql.rows(
    'SELECT * FROM history WHERE address = $1 AND step >= $2 AND step < $3',
    [address, first, end],
  );
  const known = new Map(rows.map((row) => [integerOf(row, 'step'), row]));
  return Array.from({ length: end - first }, (_, at) =>
    historyStep(first + at, known.get(first + at)),
  );
}

export interface HistoryRange {
  readonly address?: string;
  readonly nowMillis: number;
  readonly steps: number;
}

/** Removes the steps that no chart shows any more. */
export async function pruneHistory(sql: Sql, nowMillis: number): Promise<void> {
  await sql.rows('DELETE FROM history WHERE step < $1', [stepOf(nowMillis) - HISTORY_STEPS_MAX]);
}

function historyStep(step: number, row: SqlRow | undefined): HistoryStep {
  const fromMillis = step * STEP_MILLIS;
  if (row === undefined) return { fromMillis, work: 0, blocks: 0, expectedBlocks: 0 };
  return {
    fromMillis,
    work: numberOf(row, 'work'),
    blocks: integerOf(row, 'blocks'),
    expectedBlocks: numberOf(row, 'expected_blocks'),
  };
}

function stepOf(millis: number): number {
  return Math.floor(millis / STEP_MILLIS);
}
