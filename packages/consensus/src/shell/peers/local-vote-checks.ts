/**
 * Checks signatures of messages in the caller's thread.
 */
import { type SignatureVerdict, Verifier } from 'svc-consensus/machine';
import type { VoteChecks } from '../ports/overlay.ts';

export class LocalVoteChecks implements VoteChecks<Uint8Array> {
  readonly #verifier: Verifier;

  constructor(chainId: Uint8Array) {
    this.#verifier = new Verifier(chainId);
  }

  learnSet(encoded: Uint8Array): void {
    this.#verifier.learnSet(encoded);
  }

  verify(packets: readonly Uint8Array[]): readonly SignatureVerdict[] {
    return this.#verifier.verifyBatch(packets);
  }
}
