/**
 * What waits, in memory and on the disk, and who is told when that changes: how much fits, who is pushed out
 * or replaced by a better one, who leaves with a finalized cut. Whether a transaction may come in at all was decided
 * before, in the same turn.
 */
import { type Clock, Signal } from 'svc-base/pure';
import type { OutcomeKind } from 'svc-ledger';
import type {
  FinalizedCut,
  Origin,
  PooledTransaction as PooledTransactionPort,
  RemovalReason,
  RemovedTransaction,
} from 'svc-serve/ports';
import type { CheckedInputs } from './checks.ts';
import { PoolIndex } from './pool-index.ts';
import type { PoolStore } from './pool-store.ts';
import { PooledTransaction, type SubmittedTransaction } from './pooled-transaction.ts';
import { compareRates, type FeeRate } from './rate-order.ts';
import { rivalsOf } from './replacement.ts';

export interface MempoolLimits {
  readonly transactions: number;
  readonly bytes: number;
  readonly mass: bigint;
}

/**
 * There is no limit for an address: a waiting transaction spends final outputs that no other waiting one
 * spends and pays for its mass, so an address has as many as it has outputs and coins for.
 */
export const MEMPOOL_LIMITS: MempoolLimits = {
  transactions: 100_000,
  bytes: 256 << 20,
  mass: 1_000_000_000n,
};

export class PoolContents {
  readonly index = new PoolIndex();
  readonly added = new Signal<PooledTransactionPort>();
  readonly removed = new Signal<RemovedTransaction>();
  readonly store: PoolStore;
  readonly limits: MempoolLimits;
  readonly #clock: Clock;
  #latestMillis = 0;

  constructor(store: PoolStore, clock: Clock, limits: MempoolLimits) {
    this.store = store;
    this.limits = limits;
    this.#clock = clock;
  }

  hasRoom(submitted: SubmittedTransaction, fee: bigint): boolean {
    return roomFor(this.index, this.limits, submitted, fee) !== undefined;
  }

  /**
   * Adds the transaction and pushes out those that spend the same outputs or make room for it; resolves when that is on
   * the disk.
   */
  insert(submitted: SubmittedTransaction, checked: CheckedInputs): Promise<void> {
    const evicted = roomFor(this.index, this.limits, submitted, checked.fee) ?? [];
    for (const pooled of evicted) this.index.remove(pooled);
    const added = this.#add(submitted, checked, this.#clock.now());
    const written = this.store.add(added, evicted);
    added.written = written;
    for (const pooled of evicted) this.removed.emit({ pooled, reason: 'evicted' });
    this.added.emit(added);
    return written;
  }

  /** Adds a transaction that is on the disk already; callers restore in the order of arrival. */
  restore(
    submitted: SubmittedTransaction,
    checked: CheckedInputs,
    receivedAtMillis: number,
  ): PooledTransaction {
    return this.#add(submitted, checked, receivedAtMillis);
  }

  remove(leaving: ReadonlyMap<PooledTransaction, RemovalReason>): void {
    if (leaving.size === 0) return;
    const transactions = [...leaving.keys()];
    for (const pooled of transactions) this.index.remove(pooled);
    this.store.remove(transactions);
    for (const [pooled, reason] of leaving) this.removed.emit({ pooled, reason });
  }

  /** Times of arrival never go back, whatever the clock does: lists are in their order. */
  #add(
    submitted: SubmittedTransaction,
    { spent, fee }: CheckedInputs,
    millis: number,
  ): PooledTransaction {
    this.#latestMillis = Math.max(this.#latestMillis, millis);
    const receivedAtMillis = this.#latestMillis;
    const pooled = new PooledTransaction(submitted, { spent, fee, receivedAtMillis });
    this.index.add(pooled);
    return pooled;
  }
}

/**
 * Who leaves so that the submitted transaction fits: those that spend the same outputs, then the least of the others;
 * undefined if these are worth as much as it is.
 */
export function roomFor(
  index: PoolIndex,
  limits: MempoolLimits,
  submitted: SubmittedTransaction,
  fee: bigint,
): readonly PooledTransaction[] | undefined {
  const {
    transaction: { mass },
    wire,
    origin,
  } = submitted;
  let transactions = index.size + 1;
  let bytes = index.bytes + wire.length;
  let total = index.mass + mass;
  const isEnough = (): boolean =>
    transactions <= limits.transactions && bytes <= limits.bytes && total <= limits.mass;
  const leaving: PooledTransaction[] = [];
  const leave = (pooled: PooledTransaction): void => {
    leaving.push(pooled);
    transactions--;
    bytes -= pooled.wire.length;
    total -= pooled.mass;
  };
  const rivals = rivalsOf(index, submitted);
  for (const rival of rivals) leave(rival);
  if (isEnough()) return leaving;
  for (const pooled of index.order.leastFirst()) {
    if (rivals.has(pooled)) continue;
    if (!isWorthMore({ fee, mass, origin }, pooled)) return undefined;
    leave(pooled);
    if (isEnough()) return leaving;
  }
  return undefined;
}

function isWorthMore(
  one: FeeRate & { readonly origin: Origin },
  other: PooledTransaction,
): boolean {
  const order = compareRates(one, other);
  return order < 0 || (order === 0 && one.origin === 'own' && other.origin === 'relayed');
}

/** Transactions whose outcome is not named here wait on. */
const REMOVAL_REASONS: Readonly<Partial<Record<OutcomeKind, RemovalReason>>> = {
  finalized: 'finalized',
  skipped: 'finalized',
  expired: 'expired',
  conflict: 'conflict',
  invalid: 'rejected',
  no_effect: 'rejected',
};

/** Which waiting transactions a finalized cut removes, and why. */
export function leavingWith(
  index: PoolIndex,
  { height, result }: FinalizedCut,
): Map<PooledTransaction, RemovalReason> {
  const leaving = new Map<PooledTransaction, RemovalReason>();
  if (index.size === 0) return leaving;
  const addOnce = (
    pooled: PooledTransaction | undefined,
    reason: RemovalReason | undefined,
  ): void => {
    if (pooled !== undefined && reason !== undefined && !leaving.has(pooled))
      leaving.set(pooled, reason);
  };
  for (const { table, key, after } of result.changes) {
    if (table !== 'spent' || after === undefined) continue;
    const pooled = index.spenderOf(key);
    addOnce(pooled, pooled?.id === after.transactionId ? 'finalized' : 'conflict');
  }
  for (const { transactionId, kind } of result.events.outcomes)
    addOnce(index.get(transactionId), REMOVAL_REASONS[kind]);
  for (const pooled of index.expiringAt(height)) addOnce(pooled, 'expired');
  return leaving;
}
