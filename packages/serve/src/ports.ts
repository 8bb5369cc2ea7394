/**
 * What the HTTP API and the sockets are given: the node as its readers see it. They reach nothing else of a node.
 */
import type { IncomingMessage } from 'node:http';
import type {
  MempoolDocument,
  RatesDocument,
  StatusDocument,
  SyncDocument,
  TransactionStatusEntry,
  TroubleDocument,
} from 'svc-api';
import type { Clock, Log, Signal } from 'svc-base/pure';
import type {
  CutInput,
  CutResult,
  ExecutableTransaction,
  Genesis,
  LedgerParameters,
  Outpoint,
  RegisteredBlock,
  StateView,
  TransactionOutput,
  WireTransactions,
} from 'svc-ledger';
import type { BlockBytes, ChainReader, Head, Retention } from 'svc-storage';
import type {
  CutHeader,
  LeavesProof,
  Manifest,
  ServiceAnswer,
  ServiceHeaders,
  ValidatorSet,
} from 'svc-wasm/protocol';
import type { Refusal } from './refusal.ts';

/** The way of one cut through a node, in order; `check` includes executing it, unless it was executed before. */
export const CUT_STEPS = ['propose', 'check', 'commit', 'announce'] as const;
export type CutStep = (typeof CUT_STEPS)[number];

/** A cut that is final, executed and on the disk. */
export interface FinalizedCut {
  readonly height: number;
  readonly cutId: string;
  readonly header: CutHeader;
  readonly headerBytes: Uint8Array;
  /** Null where a chain is replayed whose certificates were thinned. */
  readonly certificate: Uint8Array | null;
  readonly input: CutInput;
  readonly result: CutResult;
  /** When this node committed the cut. */
  readonly finalizedAtMillis: number;
}

export interface Chain {
  readonly genesis: Genesis;
  readonly parameters: LedgerParameters;
  readonly manifest: Manifest;
  readonly chainId: string;
  /** The one decoder of this chain; what it accepted stays accepted when the cut executes. */
  readonly transactions: WireTransactions;
  readonly head: Head;
  readonly retention: Retention;
  /** How many ids of earlier cuts are still to be fetched from peers. */
  readonly idsLeft: number;
  /** The time in the header of the head; the genesis' at height 0. */
  readonly headTimeMillis: number;
  /** The committed state, for reads in the same turn. */
  readonly view: StateView;
  /** The id of a final cut that a block may be anchored at, from memory; undefined for earlier ones. */
  recentCutId(height: number): string | undefined;
  /** The set that signs at a height, for as long as evidence against its members is accepted. */
  setAt(height: number): ValidatorSet | undefined;
  /** A view of the head, which ends with the next cut; `readAtHead` reads anew then. */
  reader(): ChainReader;
  /** Emitted once for each height, in order, after the commit. */
  readonly finalized: Signal<FinalizedCut>;
}

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

export interface PooledBlock {
  readonly bytes: BlockBytes;
  readonly block: RegisteredBlock;
  readonly transactions: readonly ExecutableTransaction[];
  readonly minerTag: string;
  readonly receivedAtMillis: number;
}

/** `late` and `refused` name a code of the error catalogue. */
export type BlockAdmission =
  | { readonly type: 'accepted' | 'known'; readonly id: string }
  | { readonly type: 'late' | 'refused'; readonly code: string; readonly message: string };

export interface BlockPool {
  readonly size: number;
  readonly accepted: Signal<PooledBlock>;
  /**
   * Resolves when the block is checked and, if it was accepted, on the disk. The source, a peer or a
   * listener, pays for hashes that come to nothing.
   */
  submit(header: Uint8Array, body: Uint8Array, source?: string): Promise<BlockAdmission>;
  get(id: string): PooledBlock | undefined;
  /** A block that carries the transaction and is not executed yet, registered or not. */
  carrying(transactionId: string): PooledBlock | undefined;
  /** What a cut at this height may register: in the order of a cut, within its limits. */
  registrable(height: number): PooledBlock[];
}

export interface TransactionStatuses {
  /** In the order of the ids; null for one that this node knows nothing of. */
  of(ids: readonly string[], reader: ChainReader): Promise<(TransactionStatusEntry | null)[]>;
  /** The id of a transaction whose status may have changed. */
  readonly changed: Signal<string>;
}

export interface StateProofs {
  /** Undefined if the output is not unspent. */
  output(outpoint: Outpoint): Promise<Uint8Array | undefined>;
  /** Undefined if the address has more outputs than a proof may list. */
  address(address: string): Promise<Uint8Array | undefined>;
  totals(): Promise<Uint8Array>;
  /**
   * Leads from the header of a height to the ids of earlier cuts, heights ascending. Undefined if the ids of all cuts
   * before it are not here.
   */
  cuts(height: number, earlier: readonly number[]): LeavesProof<Uint8Array> | undefined;
}

export interface PeerCounts {
  readonly inbound: number;
  readonly outbound: number;
}

export interface Relay {
  readonly peers: PeerCounts;
  /** The highest cut that a peer has shown a certificate for; null if none has. */
  readonly bestPeerHeight: number | null;
  /** Whether no credible peer claims to be ahead; true without peers. */
  readonly isSynced: boolean;
  /** Asks for blocks by id, from several peers one after another; resolves with those that came. */
  fetchBlocks(ids: readonly string[], timeoutMillis: number): Promise<BlockBytes[]>;
}

export const NO_PEERS: Relay = {
  peers: { inbound: 0, outbound: 0 },
  bestPeerHeight: null,
  isSynced: true,
  fetchBlocks: async () => [],
};

/** Whether a peer is connected and no peer shows a newer cut. */
export function isCurrent(
  { head }: { readonly head: { readonly height: number } },
  { peers, isSynced, bestPeerHeight }: Pick<Relay, 'peers' | 'isSynced' | 'bestPeerHeight'>,
): boolean {
  if (peers.inbound + peers.outbound === 0 || !isSynced) return false;
  return (bestPeerHeight ?? 0) <= head.height;
}

export interface NodeIdentity {
  /** What clients pin: the hash of the public key, 96 hexadecimal characters. */
  readonly identity: string;
  readonly publicKey: Uint8Array;
  sign(answer: ServiceAnswer): ServiceHeaders;
}

export interface Rates {
  document(): RatesDocument;
}

export interface Services {
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly blocks: BlockPool;
  readonly statuses: TransactionStatuses;
  readonly proofs: StateProofs;
  readonly relay: Relay;
  readonly identity: NodeIdentity;
  readonly rates: Rates;
  sync(): SyncDocument;
  /** What the node lacks now, and whether requests should go elsewhere because of it. */
  troubles(): readonly TroubleDocument[];
  status(): StatusDocument;
  readonly clock: Clock;
  readonly log: Log;
  /** The release of the node. */
  readonly version: string;
}

/** `client` is the address that limits count by: an IPv6 client shares it with its /64. */
type UpgradeVerdict =
  | { readonly admitted: true; readonly client: string }
  | { readonly admitted: false; readonly refusal: Refusal };

/** Judges Host, Origin and rate of a request that wants to become a socket. */
interface UpgradeGuard {
  admit(request: IncomingMessage): UpgradeVerdict;
}

export interface ReadAnswer {
  readonly status: number;
  /** JSON text. */
  readonly body: string;
}

/** Answers a GET as the HTTP API would, from the budget of the same client. */
export type ReadPort = (path: string, client: string) => Promise<ReadAnswer>;

/** The part of the services that the sockets use. */
export interface SocketServices extends Pick<Services, 'log' | 'rates' | 'statuses' | 'sync'> {
  readonly chain: Pick<Chain, 'finalized' | 'genesis' | 'head' | 'reader'>;
  readonly mempool: Pick<Mempool, 'added' | 'removed'>;
  readonly blocks: Pick<BlockPool, 'accepted'>;
}

export interface SocketPorts {
  readonly services: SocketServices;
  readonly guard: UpgradeGuard;
  /** Times heartbeats, rates and pauses. Runs with real time even if the clock of the chain jumps. */
  readonly clock: Clock;
  readonly read: ReadPort;
  /** The document of `/v1/mempool`. */
  readonly mempoolDocument: () => MempoolDocument;
}
