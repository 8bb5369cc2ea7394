/**
 * ExpandMask (FIPS 204, algorithm 34): the L polynomials of y, four at once. The fifth is made alone;
 * where states are permuted in pairs only, it is made together with the fifth of the next attempt.
 */
import { SHAKE256_RATE, shakeFinish, spongeAbsorb, spongeAbsorbByte, spongeBegin, spongeSqueeze } from '../hash/keccak';
import { usesVectorsAlone } from '../hash/keccak-form';
import { laneBlock, laneEnd, lanesBegin, lanesPermute, lanesPermutePair, lanesSet } from '../hash/keccak-lanes';
import { unpackZ } from './pack';
import { L, PACKED_Z_BYTES, POLY_BYTES } from './params';
import { MASK_BYTES, MASK_STRIDE } from './workspace';

/** rho'' is eight words of a block; the two bytes of kappa + r end the input. */
const SEED_WORDS: i32 = 8;
const MASK_SEED_BYTES: i32 = 64;
const KAPPA_BYTES: i32 = 2;
/** The index of the polynomial that has no place among four. */
const FIFTH: i32 = 4;

/** Begins all lanes with rho''; each still lacks its kappa + r. */
function beginLanes(seed: usize): void {
  lanesBegin(SHAKE256_RATE);
  for (let i: i32 = 0; i < SEED_WORDS; i++) lanesSet(i, load<u64>(seed + 8 * i));
}

/** Copies the block that a lane has after a permutation to offset `at` of a mask's bytes. */
@inline
function keepBlock(lane: i32, mask: i32, at: usize): void {
  memory.copy(MASK_BYTES + MASK_STRIDE * mask + at, laneBlock(lane), SHAKE256_RATE);
}

function squeezeFour(seed: usize, kappa: i32): void {
  beginLanes(seed);
  for (let lane: i32 = 0; lane < 4; lane++) laneEnd(lane, SEED_WORDS, <u64>(kappa + lane), KAPPA_BYTES);
  for (let at: usize = 0; at < PACKED_Z_BYTES; at += SHAKE256_RATE) {
    lanesPermute();
    for (let lane: i32 = 0; lane < 4; lane++) keepBlock(lane, lane, at);
  }
}

/** The fifth mask of this attempt, and after it that of the next one. */
function squeezeTwoFifths(seed: usize, kappa: i32): void {
  beginLanes(seed);
  for (let lane: i32 = 0; lane < 2; lane++) laneEnd(lane, SEED_WORDS, <u64>(kappa + L * lane + FIFTH), KAPPA_BYTES);
  for (let at: usize = 0; at < PACKED_Z_BYTES; at += SHAKE256_RATE) {
    lanesPermutePair();
    for (let lane: i32 = 0; lane < 2; lane++) keepBlock(lane, FIFTH + lane, at);
  }
}

function squeezeFifth(seed: usize, kappa: i32): void {
  spongeBegin(SHAKE256_RATE);
  spongeAbsorb(seed, MASK_SEED_BYTES);
  spongeAbsorbByte(<u8>(kappa + FIFTH));
  spongeAbsorbByte(<u8>((kappa + FIFTH) >> 8));
  shakeFinish();
  spongeSqueeze(MASK_BYTES + MASK_STRIDE * FIFTH, <i32>PACKED_Z_BYTES);
}

/**
 * y[r] = BitUnpack(H(rho'' || kappa + r)) for r from 0 to L - 1, where kappa is L times the attempt.
 * Attempts are counted from 0, and none is left out: an odd one finds its fifth mask made.
 */
export function expandMask(seed: usize, attempt: i32, target: usize): void {
  const kappa = attempt * L;
  let fifth: i32 = FIFTH;
  squeezeFour(seed, kappa);
  if (ASC_FEATURE_SIMD && usesVectorsAlone()) {
    if ((attempt & 1) == 0) squeezeTwoFifths(seed, kappa);
    fifth += attempt & 1;
  } else {
    squeezeFifth(seed, kappa);
  }
  for (let i: i32 = 0; i < 4; i++) unpackZ(MASK_BYTES + MASK_STRIDE * i, target + POLY_BYTES * i);
  unpackZ(MASK_BYTES + MASK_STRIDE * fifth, target + POLY_BYTES * FIFTH);
}
