/**
 * Offsets of a proof, and of what it is checked against, in the kernel's input.
 */
import { expectBytes } from '../base/bytes.ts';
import { SvcError } from '../base/svc-error.ts';
import type { KernelInstance } from '../kernel/instance.ts';
import { HASH_BYTES } from './layout.ts';

export const PROOF_VERSION = 1;

const STATE_ROOT_AT = 0;
/** Room for an address, if the proof is about one. */
export const ADDRESS_AT = 64;
const PROOF_AT = 128;

export interface PlacedProof {
  readonly proofAt: number;
  readonly proofBytes: number;
  readonly stateRootAt: number;
}

/** Writes a proof and the state root to the kernel's input; no valid proof is too long for it. */
export function placeProof(
  { bytes, input, inputBytes }: KernelInstance,
  proof: Uint8Array,
  stateRoot: Uint8Array,
): PlacedProof {
  const proofAt = input + PROOF_AT;
  const stateRootAt = input + STATE_ROOT_AT;
  const taken = expectBytes(proof, 'proof');
  const most = inputBytes - PROOF_AT;
  if (taken.length > most) {
    throw new SvcError('bad_length', `expected at most ${most} bytes, found ${taken.length}`, {
      path: 'proof',
    });
  }
  bytes.set(expectBytes(stateRoot, 'stateRoot', HASH_BYTES), stateRootAt);
  bytes.set(taken, proofAt);
  return { proofAt, proofBytes: taken.length, stateRootAt };
}
