/**
 * Transactions that wait for a block, as the other parts of a node see them.
 */
import type { Signal } from 'svc-base/pure';
import type { ExecutableTransaction, TransactionOutput } from 'svc-ledger';

/** Submitted to this node, or heard from another. */
export type Origin = 'own' | 'relayed';

export interface PooledTransaction {
  readonly id: string;
  readonly wire: Uint8Array;
  readonly transaction: ExecutableTransaction;
  /** What its inputs spend, in order. */
  readonly spent: readonly TransactionOutput[];
  readonly fee: bigint;
  readonly mass: bigint;
  readonly origin: Origin;
  readonly receivedAtMillis: number;
}

/** Why a transaction left, as `mempool_tx_removed` tells it. */
export type RemovalReason =
  | 'finalized'
  | 'expired'
  | 'evicted'
  | 'conflict'
  | 'rejected'
  | 'unknown';

export interface RemovedTransaction {
  readonly pooled: PooledTransaction;
  readonly reason: RemovalReason;
}

/** `refused` names a code of the error catalogue. */
export type Admission =
  | { readonly type: 'accepted' | 'known'; readonly id: string }
  | {
      readonly type: 'refused';
      readonly code: string;
      readonly message: string;
      readonly path?: string;
    };

export interface SelectOptions {
  readonly maxTransactions: number;
  readonly maxBytes: number;
  readonly maxMass: bigint;
  /** Returns true for transactions to pass over, such as those that a waiting block carries already. */
  readonly skip?: (transactionId: string) => boolean;
}

export interface Mempool {
  readonly size: number;
  readonly bytes: number;
  readonly mass: bigint;
  readonly added: Signal<PooledTransaction>;
  readonly removed: Signal<RemovedTransaction>;
  /**
   * Resolves when the transaction is checked and, if it was accepted, on the disk. The bytes are handed
   * over: the caller must not change them afterwards.
   */
  submit(wire: Uint8Array, origin: Origin): Promise<Admission>;
  get(id: string): PooledTransaction | undefined;
  /** Best fee rate first. */
  all(): Iterable<PooledTransaction>;
  /** Those that spend from or pay to an address. */
  touching(address: string): readonly PooledTransaction[];
  /** The transaction that spends an output, by outpoint key. */
  spenderOf(outpoint: string): PooledTransaction | undefined;
  /** What a template carries, in the specification's order; no two spend the same output. */
  select(options: SelectOptions): PooledTransaction[];
}
