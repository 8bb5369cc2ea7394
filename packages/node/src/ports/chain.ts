/**
 * The finalized chain as the other parts of a node see it: what is final now, and what each new cut did.
 */
import type { Signal } from 'svc-base/pure';
import type {
  CutInput,
  CutResult,
  Genesis,
  LedgerParameters,
  StateView,
  WireTransactions,
} from 'svc-ledger';
import type { ChainReader, Head, Retention } from 'svc-storage';
import type { CutHeader, Manifest, ValidatorSet } from 'svc-wasm/protocol';

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
