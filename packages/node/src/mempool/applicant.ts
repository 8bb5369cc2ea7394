/**
 * A decoded transaction that wants to join the pool.
 */
import { type ExecutableTransaction, outpointKey } from 'svc-ledger';
import type { Origin } from '../ports/mempool.ts';

export class Applicant {
  readonly transaction: ExecutableTransaction;
  readonly wire: Uint8Array;
  readonly origin: Origin;
  /** The keys of what it spends, made once: they are looked up again and again. */
  readonly outpoints: readonly string[];

  constructor(transaction: ExecutableTransaction, wire: Uint8Array, origin: Origin) {
    this.transaction = transaction;
    this.wire = wire;
    this.origin = origin;
    this.outpoints = transaction.inputs.map(outpointKey);
  }

  get id(): string {
    return this.transaction.id;
  }
}
