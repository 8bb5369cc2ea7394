/**
 * A transaction on both sides of admission: `SubmittedTransaction` is decoded and asks to join the pool,
 * `PooledTransaction` passed every check and waits for a block.
 */
import { type ExecutableTransaction, outpointKey, type TransactionOutput } from 'svc-ledger';
import type { Origin, PooledTransaction as PooledTransactionPort } from 'svc-serve/ports';

export class SubmittedTransaction {
  readonly transaction: ExecutableTransaction;
  readonly wire: Uint8Array;
  readonly origin: Origin;
  /** The keys of the outputs it spends, made once because several indexes look them up. */
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

export interface PooledFacts {
  /** The outputs that the inputs spend, in the order of the inputs. */
  readonly spent: readonly TransactionOutput[];
  readonly fee: bigint;
  readonly receivedAtMillis: number;
}

/** Other parts of the node see it through the port of the same name, without the pool's own marks. */
export class PooledTransaction implements PooledTransactionPort {
  readonly transaction: ExecutableTransaction;
  readonly wire: Uint8Array;
  readonly outpoints: readonly string[];
  readonly spent: readonly TransactionOutput[];
  readonly fee: bigint;
  readonly mass: bigint;
  readonly origin: Origin;
  readonly receivedAtMillis: number;
  /** True once the transaction has left the pool; lists may still contain it for a while. */
  isGone = false;
  /** Settles when the transaction is on the disk; undefined if it was read from there. */
  written: Promise<void> | undefined;

  constructor(
    { transaction, wire, outpoints, origin }: SubmittedTransaction,
    { spent, fee, receivedAtMillis }: PooledFacts,
  ) {
    this.transaction = transaction;
    this.wire = wire;
    this.outpoints = outpoints;
    this.spent = spent;
    this.fee = fee;
    this.mass = transaction.mass;
    this.origin = origin;
    this.receivedAtMillis = receivedAtMillis;
  }

  get id(): string {
    return this.transaction.id;
  }
}
