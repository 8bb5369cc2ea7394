/**
 * Everything about a public key that does not depend on a signature: the matrix A, the transform of
 * t1 * 2^d, and tr. It makes three quarters of a verification, so hosts keep it for keys they meet
 * often.
 */
import { shake256 } from '../hash/keccak';
import { unpackT1 } from './pack';
import { K, PACKED_T1_BYTES, POLY_BYTES, PUBLIC_KEY_BYTES, PUBLIC_T1, TR_BYTES } from './params';
import { expandMatrix } from './sample-matrix';
import { transform } from './transform';
import { EXPANDED_KEY_BYTES, EXPANDED_T1, EXPANDED_TR } from './workspace';

export function mldsaExpandedKeyBytes(): i32 {
  return EXPANDED_KEY_BYTES;
}

/** Fills the slot, a region of `EXPANDED_KEY_BYTES` aligned to 16. */
export function mldsaExpand(publicKey: usize, slot: usize): void {
  // A = ExpandA(rho), with which the public key begins.
  expandMatrix(publicKey, slot);
  // NTT(t1 * 2^d).
  for (let i: i32 = 0; i < K; i++) {
    const poly = slot + EXPANDED_T1 + POLY_BYTES * i;
    unpackT1(publicKey + PUBLIC_T1 + PACKED_T1_BYTES * i, poly);
    transform(poly);
  }
  // tr = H(public key).
  shake256(publicKey, PUBLIC_KEY_BYTES, slot + EXPANDED_TR, TR_BYTES);
}
