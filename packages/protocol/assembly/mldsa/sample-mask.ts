/**
 * ExpandMask (FIPS 204, algorithm 34): the L polynomials of y, four at once and the fifth alone.
 */
import { SHAKE256_RATE, shakeFinish, spongeAbsorb, spongeAbsorbByte, spongeBegin, spongeSqueeze } from '../hash/keccak';
import { laneBlock, laneEnd, lanesBegin, lanesPermute, lanesSet } from '../hash/keccak-lanes';
import { unpackZ } from './pack';
import { L, PACKED_Z_BYTES, POLY_BYTES } from './params';
import { MASK_BYTES, MASK_STRIDE } from './workspace';

/** rho'' is eight words of a block; the two bytes of kappa + r end the input. */
const SEED_WORDS: i32 = 8;
const MASK_SEED_BYTES: i32 = 64;
const KAPPA_BYTES: i32 = 2;

/** y[r] = BitUnpack(H(rho'' || kappa + r)) for r from 0 to L - 1. */
export function expandMask(seed: usize, kappa: i32, target: usize): void {
  lanesBegin(SHAKE256_RATE);
  for (let i: i32 = 0; i < SEED_WORDS; i++) lanesSet(i, load<u64>(seed + 8 * i));
  for (let lane: i32 = 0; lane < 4; lane++) laneEnd(lane, SEED_WORDS, <u64>(kappa + lane), KAPPA_BYTES);
  for (let at: usize = 0; at < PACKED_Z_BYTES; at += SHAKE256_RATE) {
    lanesPermute();
    for (let lane: i32 = 0; lane < 4; lane++) {
      memory.copy(MASK_BYTES + MASK_STRIDE * lane + at, laneBlock(lane), SHAKE256_RATE);
    }
  }
  for (let i: i32 = 0; i < 4; i++) unpackZ(MASK_BYTES + MASK_STRIDE * i, target + POLY_BYTES * i);

  spongeBegin(SHAKE256_RATE);
  spongeAbsorb(seed, MASK_SEED_BYTES);
  spongeAbsorbByte(<u8>(kappa + L - 1));
  spongeAbsorbByte(<u8>((kappa + L - 1) >> 8));
  shakeFinish();
  spongeSqueeze(MASK_BYTES, <i32>PACKED_Z_BYTES);
  unpackZ(MASK_BYTES, target + POLY_BYTES * (L - 1));
}
