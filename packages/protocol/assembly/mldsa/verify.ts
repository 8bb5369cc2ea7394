/**
 * ML-DSA.Verify (FIPS 204, algorithms 3 and 8), with a public key or with one expanded before.
 * Handles only public data. Lengths of key and signature are the caller's to check.
 */
import { shake256 } from '../hash/keccak';
import { packHighBits } from './decompose';
import { mldsaExpand } from './expanded-key';
import { hintIsCanonical, useHints } from './hint';
import { messageRepresentative } from './message';
import { inverseTransform } from './inverse-transform';
import { unpackZ } from './pack';
import {
  BETA,
  CHALLENGE_BYTES,
  GAMMA1,
  K,
  L,
  MU_BYTES,
  PACKED_W1_BYTES,
  PACKED_Z_BYTES,
  POLY_BYTES,
  SIGNATURE_HINT,
  SIGNATURE_Z,
} from './params';
import { exceeds, rowProduct } from './poly';
import { sampleInBall } from './sample-ball';
import { transform } from './transform';
import {
  CHALLENGE,
  CHALLENGE_HASH,
  EXPANDED,
  EXPANDED_T1,
  EXPANDED_TR,
  MU,
  W,
  W1_PACKED,
  Z_TRANSFORMED,
} from './workspace';

/** sigDecode: false if the hint is not canonical or z is too long. Leaves NTT(z) behind. */
function loadSignature(signature: usize): bool {
  if (!hintIsCanonical(signature + SIGNATURE_HINT)) return false;
  for (let i: i32 = 0; i < L; i++) {
    const z = Z_TRANSFORMED + POLY_BYTES * i;
    unpackZ(signature + SIGNATURE_Z + PACKED_Z_BYTES * i, z);
    if (exceeds(z, GAMMA1 - BETA)) return false;
    transform(z);
  }
  return true;
}

/** Whether the signature that `loadSignature` has decoded fits the key in the slot and MU. */
function challengeMatches(slot: usize, signature: usize): bool {
  // c = SampleInBall(c~), with which the signature begins.
  sampleInBall(signature, CHALLENGE);
  transform(CHALLENGE);
  // w' = A * z - c * t1 * 2^d, and its high bits as w1Encode packs them.
  for (let i: i32 = 0; i < K; i++) {
    const w = W + POLY_BYTES * i;
    rowProduct(w, slot + POLY_BYTES * L * i, Z_TRANSFORMED, CHALLENGE, slot + EXPANDED_T1 + POLY_BYTES * i);
    inverseTransform(w);
    packHighBits(w, W1_PACKED + PACKED_W1_BYTES * i);
  }
  // w1' = UseHint(h, w').
  useHints(signature + SIGNATURE_HINT, W, W1_PACKED);
  // The signature holds if c~ = H(mu || w1Encode(w1')).
  shake256(MU, MU_BYTES + <i32>PACKED_W1_BYTES * K, CHALLENGE_HASH, CHALLENGE_BYTES);
  let difference: u64 = 0;
  for (let i: usize = 0; i < <usize>CHALLENGE_BYTES; i += 8) {
    difference |= load<u64>(CHALLENGE_HASH + i) ^ load<u64>(signature + i);
  }
  return difference == 0;
}

export function mldsaVerifyExpanded(
  slot: usize,
  message: usize,
  messageLength: i32,
  context: usize,
  contextLength: i32,
  signature: usize,
): bool {
  if (!loadSignature(signature)) return false;
  messageRepresentative(slot + EXPANDED_TR, message, messageLength, context, contextLength, MU);
  return challengeMatches(slot, signature);
}

export function mldsaVerify(
  publicKey: usize,
  message: usize,
  messageLength: i32,
  context: usize,
  contextLength: i32,
  signature: usize,
): bool {
  if (!loadSignature(signature)) return false;
  mldsaExpand(publicKey, EXPANDED);
  messageRepresentative(EXPANDED + EXPANDED_TR, message, messageLength, context, contextLength, MU);
  return challengeMatches(EXPANDED, signature);
}

/** Verify_internal of a message representative made elsewhere (FIPS 204, algorithm 8 from line 7). */
export function mldsaVerifyMu(publicKey: usize, mu: usize, signature: usize): bool {
  if (!loadSignature(signature)) return false;
  mldsaExpand(publicKey, EXPANDED);
  memory.copy(MU, mu, MU_BYTES);
  return challengeMatches(EXPANDED, signature);
}
