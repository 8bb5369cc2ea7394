/**
 * Transactions that left the mempool without the chain saying anything about them. It is a memory of this
 * process and bounded; the oldest is forgotten first.
 */
import type { RemovalReason } from 'svc-serve/ports';
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

export interface Departure {
  readonly failure: Failure;
  /** The head when it left. That an output is spent, or a window has passed, is final from there on. */
  readonly height: number;
}

export class RemovedMemory {
  readonly #departures = new Map<string, Departure>();

  record(id: string, reason: RemovalReason, height: number): void {
    const failure = FAILURES[reason];
    this.#departures.delete(id);
    if (failure === undefined) return;
    this.#departures.set(id, { failure, height });
    const [oldest] = this.#departures.keys();
    if (this.#departures.size > REMEMBERED_MAX && oldest !== undefined) this.forget(oldest);
  }

  forget(id: string): void {
    this.#departures.delete(id);
  }

  get(id: string): Departure | undefined {
    return this.#departures.get(id);
  }
}
