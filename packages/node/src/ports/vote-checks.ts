/**
 * Signatures of messages between validators, checked here or in other threads.
 */
import type { SignatureVerdict } from 'svc-finality';

export interface VoteChecks {
  /** Prepares for signatures of the members of a set. */
  learnSet(encoded: Uint8Array): void;
  /** One verdict for each message, in their order. */
  verify(
    messages: readonly Uint8Array[],
  ): readonly SignatureVerdict[] | Promise<readonly SignatureVerdict[]>;
}
