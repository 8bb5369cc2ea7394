/**
 * The store of a state while it comes from peers, and its proofs. A refusal means that a peer's piece does not belong
 * to the state; every other error is thrown.
 */
import type { ValidatorSet } from 'svc-wasm/protocol';
import type { StateOffer } from '../application.ts';

export interface CertifiedHeader {
  readonly header: Uint8Array;
  readonly certificate: Uint8Array;
  /** The set that the header names as its signers. */
  readonly set: ValidatorSet;
}

/** A cut that is trusted because an operator names it. */
export interface Checkpoint {
  readonly height: number;
  readonly cutId: string;
}

export interface StateKeeper {
  /** The checkpoint that a peer has to show before anything can be proven; undefined if trust begins elsewhere. */
  readonly checkpoint: Checkpoint | undefined;
  /** Gives the header of the checkpoint, and the set that signs after it. */
  trust(header: Uint8Array, set: ValidatorSet): void;
  /** What was begun and is not complete. */
  readonly begun: StateOffer | undefined;
  /** How many ranges the state has that was begun. */
  readonly ranges: number;
  /** Why a cut does not follow from what is trusted, or null. */
  refusalOfCut(cut: CertifiedHeader): string | null;
  /**
   * Begins with the manifest of a state, and forgets an earlier one; returns why it does not belong to the cut, or
   * null.
   */
  begin(cut: CertifiedHeader, manifest: Uint8Array): Promise<string | null>;
  /** The ranges that are not there yet. */
  missing(): Promise<number[]>;
  /** Keeps a range; returns why it is refused, or null. */
  put(index: number, bytes: Uint8Array): Promise<string | null>;
}
