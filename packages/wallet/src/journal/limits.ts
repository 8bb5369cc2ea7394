/**
 * What a caller may spend: so much at once, so much within 24 hours, and to whom. The payment limit is about what others
 * get; the budget of a day counts fees as well, those of merges too. A budget is charged in the commit that records
 * the transactions, and never given back before its day is over.
 */
import { coinsOf, sumOf } from '../amounts.ts';
import { WalletError } from '../errors.ts';
import type { JournalRequest } from '../state/journal.ts';
import type { CopiedRequest, CopiedTransaction } from '../state/journal-copy.ts';
import type { State } from '../state/open-state.ts';

export interface Budget {
  /** Tokens that share a budget name the same one. */
  readonly budget: string;
  /** Atoms within 24 hours, fees included; null for no limit. */
  readonly dayMax: bigint | null;
}

export interface SpendLimits extends Budget {
  /** Atoms that one call may pay, without the fee; null for no limit. */
  readonly paymentMax: bigint | null;
  /** Addresses that may be paid, in their one form; null for every address. */
  readonly allowlist: readonly string[] | null;
}

/** Who makes a call. */
export interface Caller {
  /** The name of the token, as the journal keeps it. */
  readonly name: string;
  /** Null where the caller may spend everything, or nothing at all. */
  readonly limits: SpendLimits | null;
  /** Whether its token was not revoked since; a caller without this has none. */
  isValid?(): boolean;
}

/** What a call takes out of the wallet. */
export interface Spending {
  readonly amount: bigint;
  readonly fee: bigint;
  readonly to: readonly string[];
}

/** The part of a transaction that says how much leaves the wallet. */
interface SpendingTransaction {
  readonly kind: string;
  readonly amount: bigint;
  readonly recipients: readonly object[];
  readonly built: { readonly plan: { readonly fee: bigint } };
}

const DAY_MILLIS = 86_400_000;
/** Transactions that pay the wallet itself. */
export const OWN_KINDS: ReadonlySet<string> = new Set(['compound', 'split', 'cancel']);

export function spendingOf(transactions: readonly SpendingTransaction[]): Spending {
  const paying = transactions.filter(({ kind }) => !OWN_KINDS.has(kind));
  return {
    amount: sumOf(paying),
    fee: transactions.reduce((sum, { built }) => sum + built.plan.fee, 0n),
    to: paying.flatMap(({ recipients }) => recipients.map((paid) => (paid as { to: string }).to)),
  };
}

/** Throws if the token of a caller was revoked. */
export function expectValid(caller: Caller | undefined): void {
  if (caller?.isValid?.() !== false) return;
  throw new WalletError('token_revoked', `the token ${caller.name} was revoked`);
}

/** Whether a caller may say what becomes of a request: one with limits says so of those of its own budget alone. */
export function mayDecideOn(
  caller: Caller | undefined,
  { budget }: Pick<JournalRequest, 'budget'>,
): boolean {
  const limits = caller?.limits ?? null;
  if (limits === null) return true;
  return budget !== null && parseBudget(budget).budget === limits.budget;
}

/** Throws the first limit that the spending would exceed. */
export function expectWithinLimits(
  state: Pick<State, 'spendings'>,
  limits: SpendLimits,
  { amount, fee, to }: Spending,
  nowMillis: number,
): void {
  const { allowlist, paymentMax } = limits;
  const stranger = allowlist === null ? undefined : to.find((each) => !allowlist.includes(each));
  if (stranger !== undefined) {
    throw new WalletError('not_allowlisted', 'the address is not on the allowlist of the token', {
      details: { limit: 'allowlist', address: stranger },
    });
  }
  if (paymentMax !== null && amount > paymentMax) {
    const max = coinsOf(paymentMax);
    throw new WalletError('payment_limit', `the token pays at most ${max} at once`, {
      details: { limit: 'payment_max', payment_max: max, amount: coinsOf(amount) },
    });
  }
  expectWithinDay(state, limits, amount + fee, nowMillis);
}

/** Counts what transactions take out of the wallet; throws `day_limit` if that is more than is left. */
export function chargeBudget(
  state: Pick<State, 'spendings'>,
  budget: Budget,
  transactions: readonly SpendingTransaction[],
  nowMillis: number,
): void {
  const { amount, fee } = spendingOf(transactions);
  expectWithinDay(state, budget, amount + fee, nowMillis);
  state.spendings.add(budget.budget, nowMillis, amount + fee);
}

function expectWithinDay(
  { spendings }: Pick<State, 'spendings'>,
  { budget, dayMax }: Budget,
  atoms: bigint,
  nowMillis: number,
): void {
  if (dayMax === null) return;
  const spent = spendings.spentSince(budget, nowMillis - DAY_MILLIS);
  if (spent + atoms <= dayMax) return;
  const max = coinsOf(dayMax);
  throw new WalletError('day_limit', `the token spends at most ${max} within 24 hours`, {
    hint: 'nothing was made; the same call under the same name can be paid once enough of the last 24 hours has passed',
    details: { limit: 'day_max', day_max: max, spent: coinsOf(spent), amount: coinsOf(atoms) },
  });
}

/** Counts a transaction that came back from the journal copy: it may have been paid. */
export function recoverSpending(
  { spendings }: State,
  { budget }: CopiedRequest,
  { amount, createdAtMillis, fee, kind }: CopiedTransaction,
): void {
  if (budget === undefined) return;
  const atoms = BigInt(fee) + (OWN_KINDS.has(kind) ? 0n : BigInt(amount));
  spendings.add(parseBudget(budget).budget, createdAtMillis, atoms);
}

/** A budget as the journal keeps it beside a request. */
export function formatBudget({ budget, dayMax }: Budget): string {
  return JSON.stringify({ budget, day_max: dayMax?.toString() ?? null });
}

export function parseBudget(text: string): Budget {
  const { budget, day_max } = JSON.parse(text) as { budget: string; day_max: string | null };
  return { budget, dayMax: day_max === null ? null : BigInt(day_max) };
}
