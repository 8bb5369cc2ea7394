/**
 * Payouts in the books. An amount leaves the balance in the same transaction in which its payout is written, before
 * the wallet is called, and comes back only with a payout that can never be paid.
 */
import { nextNumber } from '../books/books.ts';
import {
  bigintOf,
  integerOf,
  optionalTextOf,
  type Sql,
  type SqlRow,
  textOf,
} from '../database/database.ts';
import { rootOf } from '../rounds/distribute-reward.ts';

export type PayoutState = 'open' | 'sent' | 'final' | 'refused' | 'expired' | 'conflict';

export interface PayoutLine {
  readonly address: string;
  readonly atoms: bigint;
}

export interface Payout {
  readonly number: number;
  readonly requestId: string;
  readonly state: PayoutState;
  /** The newest round when it was written, and its root, which the payment carries. */
  readonly round: number;
  readonly root: string;
  readonly transaction: string | null;
  readonly lines: readonly PayoutLine[];
}

export interface PayoutTerms {
  readonly poolId: string;
  readonly threshold: bigint;
  readonly recipientsMax: number;
  readonly nowMillis: number;
}

/** Writes a payout to the largest creditors; undefined if no balance reaches the threshold. */
export async function createPayout(sql: Sql, terms: PayoutTerms): Promise<Payout | undefined> {
  const due = await sql.rows(
    `SELECT address, balance FROM accounts WHERE held IS NULL AND balance >= $1
     ORDER BY balance DESC, address LIMIT ${terms.recipientsMax}`,
    [terms.threshold],
  );
  if (due.length === 0) return undefined;
  const number = await nextNumber(sql, 'payouts');
  const round = (await nextNumber(sql, 'rounds')) - 1;
  const root = await rootOf(sql, round);
  const requestId = `pool-${terms.poolId}-${number}`;
  await sql.rows("INSERT INTO payouts VALUES ($1, $2, 'open', $3, $4, 0, NULL, NULL, $5)", [
    number,
    requestId,
    round,
    root,
    terms.nowMillis,
  ]);
  const lines: PayoutLine[] = [];
  for (const row of due) {
    const line = { address: textOf(row, 'address'), atoms: bigintOf(row, 'balance') };
    const values = [number, lines.length, line.address, line.atoms];
    await sql.rows('INSERT INTO payout_lines VALUES ($1, $2, $3, $4)', values);
    await sql.rows('UPDATE accounts SET balance = balance - $2 WHERE address = $1', [
      line.address,
      line.atoms,
    ]);
    lines.push(line);
  }
  return { number, requestId, state: 'open', round, root, transaction: null, lines };
}

/** Payouts without a known outcome, oldest first. */
export async function openPayouts(sql: Sql): Promise<Payout[]> {
  const rows = await sql.rows(
    "SELECT * FROM payouts WHERE state = 'open' OR state = 'sent' ORDER BY number",
  );
  const payouts: Payout[] = [];
  for (const row of rows) payouts.push(await payoutOf(sql, row));
  return payouts;
}

async function payoutOf(sql: Sql, row: SqlRow): Promise<Payout> {
  const number = integerOf(row, 'number');
  const lines = await sql.rows(
    'SELECT address, atoms FROM payout_lines WHERE payout = $1 ORDER BY place',
    [number],
  );
  return {
    number,
    requestId: textOf(row, 'request_id'),
    state: textOf(row, 'state') as PayoutState,
    round: integerOf(row, 'round'),
    root: textOf(row, 'root'),
    transaction: optionalTextOf(row, 'transaction_id'),
    lines: lines.map((line) => ({
      address: textOf(line, 'address'),
      atoms: bigintOf(line, 'atoms'),
    })),
  };
}

export interface SentPayout {
  readonly transaction: string;
  readonly fee: bigint;
}

/** The wallet has made the payment; it is not final yet. */
export async function markSent(
  sql: Sql,
  { number }: Payout,
  { transaction, fee }: SentPayout,
): Promise<void> {
  await sql.rows(
    "UPDATE payouts SET state = 'sent', transaction_id = $2, fee = $3 WHERE number = $1",
    [number, transaction, fee],
  );
}

export async function markFinal(sql: Sql, { number }: Payout, fee: bigint): Promise<void> {
  await sql.rows("UPDATE payouts SET state = 'final', fee = $2 WHERE number = $1", [number, fee]);
}

/** The payout can never be paid: its amounts are balances again. */
export async function cancelPayout(
  sql: Sql,
  { number, lines }: Payout,
  state: 'refused' | 'expired' | 'conflict',
  reason: string,
): Promise<void> {
  const values = [number, state, reason] as const;
  const changed = await sql.rows(
    `UPDATE payouts SET state = $2, reason = $3
     WHERE number = $1 AND (state = 'open' OR state = 'sent') RETURNING number`,
    values,
  );
  if (changed.length === 0) return;
  for (const { address, atoms } of lines)
    await sql.rows('UPDATE accounts SET balance = balance + $2 WHERE address = $1', [
      address,
      atoms,
    ]);
}

/** The wallet refuses the address: the others are paid without it. */
export async function holdAccount(sql: Sql, address: string, reason: string): Promise<void> {
  await sql.rows('UPDATE accounts SET held = $2 WHERE address = $1', [address, reason]);
}
