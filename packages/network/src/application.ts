/**
 * The node as the network sees it: the queries it answers, the content it receives, the events it emits. Ids are 96
 * lower-case hexadecimal characters. Everything handed over comes from a peer and is unchecked, unless stated
 * otherwise.
 */
import type { Manifest } from 'svc-wasm/protocol';

export interface ChainIdentity {
  readonly chainId: string;
  readonly protocolVersion: number;
  readonly rulesId: string;
}

export interface ChainTip {
  readonly height: number;
  readonly cutId: string;
}

export type StorageMode = 'archive' | 'full' | 'pruned';

export interface Holdings {
  readonly mode: StorageMode;
  /** The first cut whose header is here. */
  readonly headersFrom: number;
  /** The first cut whose body and blocks are here. */
  readonly blocksFrom: number;
}

/** A work block as it travels. */
export interface BlockBytes {
  readonly id: string;
  readonly header: Uint8Array;
  readonly body: Uint8Array;
  /** The root of this very body, where it was hashed to check it. */
  readonly bodyRoot?: Uint8Array;
}

/** A final cut whose bytes belong together: header, body, and the blocks that are not here yet. */
export interface CutToInstall {
  readonly height: number;
  readonly cutId: string;
  readonly header: Uint8Array;
  readonly body: Uint8Array;
  /** Null where `vouch` received the certificate of a later cut. */
  readonly certificate: Uint8Array | null;
  /** Blocks that the cut registers, without those for which `hasBlock` is true. */
  readonly blocks: readonly BlockBytes[];
}

/**
 * What became of something a peer sent. `reject`: the peer must have known better, and pays for it.
 * `no_work`: its proof of work does not hold. `later`: it may be taken after another cut, or when there is room for
 * checking it. `ignore`: everything else that was not taken.
 */
export type Reception = 'accepted' | 'known' | 'later' | 'ignore' | 'reject' | 'no_work';

export interface TransactionReception {
  readonly reception: Reception;
  /** Set if the transaction was accepted or known. */
  readonly id?: string;
}

/**
 * `ahead`: it is not the cut after the tip, because one before it was not taken. `unproven`: it came without a
 * certificate, and `vouch` was not called for it. `missing_blocks`: blocks that were here are gone.
 * `missing_sets`: the cut has evidence about validator sets that this node does not know.
 * `update_required`: the cut follows rules that this release does not know; nothing after it is asked for.
 */
export type Installation =
  | 'installed'
  | 'known'
  | 'ahead'
  | 'unproven'
  | 'missing_blocks'
  | 'missing_sets'
  | 'update_required';

/** The state of one cut that can be fetched in ranges, by the hash of its manifest. */
export interface StateOffer {
  readonly height: number;
  readonly manifestId: string;
}

/** States that are kept for newcomers; what is not there is undefined. */
export interface StateSource {
  /** The newest first. */
  offers(): readonly StateOffer[];
  manifest(manifestId: string): Promise<Uint8Array | undefined>;
  range(manifestId: string, index: number): Promise<Uint8Array | undefined>;
}

/** A final cut whose certificate is here. */
export interface CertifiedHeight {
  readonly height: number;
  readonly certificate: Uint8Array;
}

export interface NetworkApplication {
  readonly identity: ChainIdentity;
  readonly manifest: Manifest;
  readonly tip: ChainTip;
  readonly holdings: Holdings;
  /** Absent where no states are kept for newcomers. */
  readonly states?: StateSource | undefined;
  /** The root of a block's body, hashed beside this thread. Absent where this thread hashes bodies itself. */
  readonly hashBody?: ((body: Uint8Array) => Promise<Uint8Array>) | undefined;

  /** Transactions that wait for a block, and blocks that wait for a cut; the best first. */
  pendingTransactions(): Iterable<string>;
  pendingBlocks(): Iterable<string>;

  hasTransaction(id: string): boolean;
  /** The wire of a transaction that waits for a block. */
  transaction(id: string): Uint8Array | undefined;
  submitTransaction(wire: Uint8Array, peerId: string): Promise<TransactionReception>;

  /** Whether the block waits here for a cut, or is part of the chain. */
  hasBlock(id: string): boolean;
  /** A block from the pool or the chain. */
  block(id: string): Promise<BlockBytes | undefined>;
  submitBlock(header: Uint8Array, body: Uint8Array, peerId: string): Promise<Reception>;

  /** Encoded headers of final cuts from a height on, at most `count`; fewer at the end of the chain. */
  headers(from: number, count: number): Promise<Uint8Array[]>;
  cutBody(height: number): Promise<Uint8Array | undefined>;
  certificate(height: number): Promise<Uint8Array | undefined>;
  /** The certificate of the highest of these cuts that has one here, found in one read. */
  lastCertificate(from: number, last: number): Promise<CertifiedHeight | undefined>;
  /**
   * The proof of the ids of so many cuts from a height on, in the list that the header at `height` commits to, followed by the ids.
   * Undefined where they are not here.
   */
  cutIds(height: number, from: number, count: number): Uint8Array | undefined;
  /** The preimage of a validator set, if it is known here. */
  validatorSet(setId: string): Promise<Uint8Array | undefined>;
  /** Gives a set that evidence names, after `install` answered `missing_sets`. */
  learnValidatorSet(encoded: Uint8Array): void;
  /** The set that signs the cut after the tip. */
  nextValidatorSet(): { readonly id: string; readonly encoded: Uint8Array };
  /** The set that signs after a cut by a recovery which this node follows, though the cut names another. */
  recoveredSet?(cutId: string): { readonly id: string } | undefined;
  /** The tip's own time in Unix milliseconds. */
  readonly tipTimeMillis: number;

  /**
   * Shows that headers which follow the tip are final, by the certificate of the last. Links and certificate
   * were checked. False if they do not follow the tip any more: the chain may move by itself.
   */
  vouch(headers: readonly Uint8Array[], certificate: Uint8Array): Promise<boolean>;
  /**
   * Executes and commits the cut after the tip. Calls may overlap, in the order of heights. Rejects if
   * executing the cut gives something else than its header says, or if the disk fails: nothing is asked for
   * after that.
   */
  install(cut: CutToInstall): Promise<Installation>;

  /** Calls the listener for everything new that peers should receive. Returns a function that unsubscribes it. */
  onTransaction(listener: (id: string) => void): () => void;
  onBlock(listener: (id: string) => void): () => void;
  onCut(listener: (tip: ChainTip) => void): () => void;
}
