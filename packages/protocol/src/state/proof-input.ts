/**
 * Where a proof and what it is checked against lie in the kernel's input.
 */
import { expectBytes } from '../base/bytes.ts';
import { SvcError } from '../base/svc-error.ts';
import type { KernelInstance } from '../kernel/instance.ts';

export const PROOF_VERSION = 1;

export const STATE_ROOT_AT = 0;
export const ADDRESS_AT = 64;
export const PROOF_AT = 128;

/** Refuses a proof for which the kernel has no room; no valid one is so long. */
export function expectProof(proof: Uint8Array, instance: KernelInstance): void {
  const most = instance.inputBytes - PROOF_AT;
  if (expectBytes(proof, 'proof').length <= most) return;
  throw new SvcError('bad_length', `expected at most ${most} bytes, found ${proof.length}`, {
    path: 'proof',
  });
}
