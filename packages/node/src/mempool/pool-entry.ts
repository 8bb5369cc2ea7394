/**
 * A transaction that waits, with what the pool notes about it.
 */
import type { ExecutableTransaction, TransactionOutput } from 'svc-ledger';
import type { Origin, PooledTransaction } from '../ports/mempool.ts';
import type { Applicant } from './applicant.ts';

export interface EntryFacts {
  /** What its inputs spend, in order. */
  readonly spent: readonly TransactionOutput[];
  readonly fee: bigint;
  readonly receivedAtMillis: number;
}

export class PoolEntry implements PooledTransaction {
  readonly transaction: ExecutableTransaction;
  readonly wire: Uint8Array;
  readonly outpoints: readonly string[];
  readonly spent: readonly TransactionOutput[];
  readonly fee: bigint;
  readonly mass: bigint;
  readonly origin: Origin;
  readonly receivedAtMillis: number;
  /** It has left the pool; lists may still hold it for a while. */
  isGone = false;
  /** Settles when it is on the disk. */
  written: Promise<void> | undefined;

  constructor({ transaction, wire, outpoints, origin }: Applicant, facts: EntryFacts) {
    this.transaction = transaction;
    this.wire = wire;
    this.outpoints = outpoints;
    this.spent = facts.spent;
    this.fee = facts.fee;
    this.mass = transaction.mass;
    this.origin = origin;
    this.receivedAtMillis = facts.receivedAtMillis;
  }

  get id(): string {
    return this.transaction.id;
  }
}
