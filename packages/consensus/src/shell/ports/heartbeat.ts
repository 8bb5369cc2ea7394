/**
 * What sending heartbeats needs of the node: the final state, the pool of transactions, and a place to remember the
 * heartbeat of the epoch.
 */
import type {
  Address,
  LedgerParameters,
  OutpointKey,
  StateView,
  WireTransactions,
} from 'svc-ledger';
import type { Manifest } from 'svc-wasm/protocol';

export interface FeeCoin {
  readonly outpoint: OutpointKey;
  readonly amount: bigint;
}

export interface HeartbeatChain {
  readonly parameters: Pick<LedgerParameters, 'interval'>;
  readonly manifest: Manifest;
  readonly transactions: Pick<WireTransactions, 'decode'>;
  readonly head: { readonly height: number };
  readonly view: StateView;
  /** Emits every cut after it has become final; `on` returns a function that unsubscribes. */
  readonly finalized: { on(listener: () => void): () => void };
  /** Unspent outputs of an address, as many as one page of them has. */
  coinsOf(address: Address): Promise<FeeCoin[]>;
}

export type HeartbeatAdmission =
  | { readonly type: 'accepted' | 'known' }
  | { readonly type: 'refused'; readonly code: string; readonly message: string };

export interface HeartbeatMempool {
  submit(wire: Uint8Array, origin: 'own'): Promise<HeartbeatAdmission>;
  get(transactionId: string): unknown;
  /** The waiting transaction that spends an output, if any. */
  spenderOf(outpoint: OutpointKey): unknown;
}

export interface HeartbeatRecord {
  readonly epoch: number;
  readonly transactionId: string;
  readonly wire: Uint8Array;
}

/** Remembers one heartbeat durably, so that a node that starts again sends the same one and not a second. */
export interface HeartbeatStore {
  read(): HeartbeatRecord | undefined;
  write(record: HeartbeatRecord): void;
}
