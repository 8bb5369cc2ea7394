/**
 * Transactions that left the mempool without the chain having decided about them. It is a memory of this
 * process and bounded; the oldest is forgotten first.
 */
import type { RemovalReason } from '../ports/mempool.ts';
import type { Failure } from './status-entry.ts';

const REMEMBERED_MAX = 65_536;

/** What is `finalized` or carried by a block is not for this memory to say. */
const FAILURES: Readonly<Partial<Record<RemovalReason, Failure>>> = {
  evicted: 'dropped',
  unknown: 'dropped',
  expired: 'expired',
  conflict: 'conflict',
  rejected: 'invalid',
};

export class RemovedMemory {
  readonly #failures = new Map<string, Failure>();

  note(id: string, reason: RemovalReason): void {
    const failure = FAILURES[reason];
    this.#failures.delete(id);
    if (failure === undefined) return;
    this.#failures.set(id, failure);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > REMEMBERED_MAX && oldest !== undefined) this.forget(oldest);
  }

  forget(id: string): void {
    this.#failures.delete(id);
  }

  get(id: string): Failure | undefined {
    return this.#failures.get(id);
  }
}
