/**
 * The pool itself: what waits, in memory and on the disk, and who is told when that changes. Whether a
 * transaction may come in was decided before, in the same turn.
 */
import type { Clock } from '../base/clock.ts';
import { Signal } from '../base/signal.ts';
import type { PooledTransaction, RemovalReason, RemovedTransaction } from '../ports/mempool.ts';
import type { Applicant } from './applicant.ts';
import type { MempoolLimits } from './limits.ts';
import { roomFor } from './pool-checks.ts';
import { PoolEntry } from './pool-entry.ts';
import { PoolIndex } from './pool-index.ts';
import type { PoolStore } from './pool-store.ts';
import type { Findings } from './state-checks.ts';

export class PoolCore {
  readonly index = new PoolIndex();
  readonly added = new Signal<PooledTransaction>();
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

  hasRoom(applicant: Applicant, fee: bigint): boolean {
    return roomFor(this.index, this.limits, applicant, fee) !== undefined;
  }

  /** Takes it in, and pushes out who has to make room; resolves when that is on the disk. */
  insert(applicant: Applicant, found: Findings): Promise<void> {
    const evicted = roomFor(this.index, this.limits, applicant, found.fee) ?? [];
    for (const entry of evicted) this.index.remove(entry);
    const entry = this.#add(applicant, found, this.#clock.now());
    const written = this.store.add(entry, evicted);
    entry.written = written;
    for (const pooled of evicted) this.removed.emit({ pooled, reason: 'evicted' });
    this.added.emit(entry);
    return written;
  }

  /** Takes in what was on the disk; in the order it came. */
  restore(applicant: Applicant, found: Findings, receivedAtMillis: number): PoolEntry {
    return this.#add(applicant, found, receivedAtMillis);
  }

  remove(leaving: ReadonlyMap<PoolEntry, RemovalReason>): void {
    if (leaving.size === 0) return;
    const entries = [...leaving.keys()];
    for (const entry of entries) this.index.remove(entry);
    this.store.remove(entries);
    for (const [pooled, reason] of leaving) this.removed.emit({ pooled, reason });
  }

  /** Times never go back, whatever the clock does: lists are in their order. */
  #add(applicant: Applicant, { spent, fee }: Findings, millis: number): PoolEntry {
    this.#latestMillis = Math.max(this.#latestMillis, millis);
    const receivedAtMillis = this.#latestMillis;
    const entry = new PoolEntry(applicant, { spent, fee, receivedAtMillis });
    this.index.add(entry);
    return entry;
  }
}
