/**
 * A transaction that waits, with what the pool notes about it.
 */
import type { ExecutableTransaction, TransactionOutput } from 'svc-ledger';
import type { Origin, PooledTransaction } from '../ports/mempool.ts';

export interface EntryFields {
  readonly transaction: ExecutableTransaction;
  readonly wire: Uint8Array;
  readonly spent: readonly TransactionOutput[];
  readonly fee: bigint;
  readonly origin: Origin;
  readonly receivedAtMillis: number;
}

export class PoolEntry implements PooledTransaction {
  readonly transaction: ExecutableTransaction;
  readonly wire: Uint8Array;
  readonly spent: readonly TransactionOutput[];
  readonly fee: bigint;
  readonly mass: bigint;
  readonly origin: Origin;
  readonly receivedAtMillis: number;
  /** It has left the pool; lists may still hold it for a while. */
  isGone = false;
  /** Settles when it is on the disk. */
  written: Promise<void> = Promise.resolve();

  constructor(fields: EntryFields) {
    this.transaction = fields.transaction;
    this.wire = fields.wire;
    this.spent = fields.spent;
    this.fee = fields.fee;
    this.mass = fields.transaction.mass;
    this.origin = fields.origin;
    this.receivedAtMillis = fields.receivedAtMillis;
  }

  get id(): string {
    return this.transaction.id;
  }
}
