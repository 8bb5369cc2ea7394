/**
 * SampleInBall (FIPS 204, algorithm 29): the challenge polynomial, 49 coefficients of 1 or -1. It is
 * sampled from a hash with branches and lookups, as the standard's own loop is; it holds no part of
 * the key, and the one that counts is published in the signature.
 */
import { SHAKE256_RATE, shakeFinish, spongeAbsorb, spongeBegin, spongeBlock } from '../hash/keccak';
import { CHALLENGE_BYTES, N, POLY_BYTES, TAU } from './params';

/** The first bytes of the hash: one bit for the sign of each coefficient that is not zero. */
const SIGN_BYTES: i32 = 8;

export function sampleInBall(hash: usize, poly: usize): void {
  memory.fill(poly, 0, POLY_BYTES);
  spongeBegin(SHAKE256_RATE);
  spongeAbsorb(hash, CHALLENGE_BYTES);
  shakeFinish();
  let block = spongeBlock();
  let signs = load<u64>(block);
  let position: i32 = SIGN_BYTES;
  for (let i: i32 = N - TAU; i < N; i++) {
    // The next byte that is at most i is the place j whose coefficient moves to i.
    let j: i32 = 0;
    do {
      if (position == SHAKE256_RATE) {
        block = spongeBlock();
        position = 0;
      }
      j = <i32>load<u8>(block + position);
      position++;
    } while (j > i);
    store<i32>(poly + (<usize>i << 2), load<i32>(poly + (<usize>j << 2)));
    store<i32>(poly + (<usize>j << 2), 1 - (<i32>(signs & 1) << 1));
    signs >>= 1;
  }
}
