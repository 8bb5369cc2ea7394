/**
 * Where the cuts before a node's first one, and the ids of all of them, are kept while they come from peers. It receives only cuts
 * that it has asked for, each proven by the id that the cut after it names, and ids that are proven under the root of their list.
 */
import type { ValidatorSet } from 'svc-wasm/protocol';
import type { BlockBytes, ChainTip } from '../application.ts';

export interface PastCut {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
  /** The certificate of a checkpoint, if its validator set was found to check it. */
  readonly certificate: Uint8Array | null;
  /** The blocks that the cut registers; null if they are not wanted. */
  readonly blocks: readonly BlockBytes[] | null;
}

/** Ids of cuts from a height on that are missing in the list of the first `height` ids, which has this root. */
export interface MissingIds {
  readonly height: number;
  readonly from: number;
  readonly root: Uint8Array;
}

export interface HistoryKeeper {
  /** Cuts of an epoch; the certificate of its last one is kept for good. */
  readonly interval: number;
  /** Cuts after which a recovery named another set. */
  readonly recoveredHeights: readonly number[];
  /** Undefined when the ids of all earlier cuts are here. */
  readonly missingIds: MissingIds | undefined;
  /** The cut before the first one that is here; undefined when there is none. */
  readonly wanted: ChainTip | undefined;
  /** Whether the bytes of the blocks that this cut registers are kept. */
  wantsBlocks(height: number): boolean;
  /** The set that signed at a height, if it is known here. */
  setAt(height: number): ValidatorSet | undefined;
  /** Keeps ids from a height on. */
  putIds(from: number, ids: readonly Uint8Array[]): Promise<void>;
  /** Keeps the wanted cut and those before it, the newest first. */
  put(cuts: readonly PastCut[]): Promise<void>;
}
