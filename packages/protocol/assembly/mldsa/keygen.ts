/**
 * ML-DSA.KeyGen_internal (FIPS 204, algorithm 6). Wipes all it derived from the seed; the seed and
 * the secret key it returns are the caller's to wipe.
 */
import { SHAKE256_RATE, shake256, shakeFinish, spongeAbsorb, spongeAbsorbByte, spongeBegin, spongeSqueeze } from '../hash/keccak';
import { powerTwoRound } from './decompose';
import { inverseTransform } from './inverse-transform';
import { packEta, packT0, packT1 } from './pack';
import {
  K,
  L,
  PACKED_ETA_BYTES,
  PACKED_T0_BYTES,
  PACKED_T1_BYTES,
  POLY_BYTES,
  PUBLIC_KEY_BYTES,
  PUBLIC_T1,
  SECRET_K,
  SECRET_S1,
  SECRET_T0,
  SECRET_TR,
  SEED_BYTES,
  TR_BYTES,
} from './params';
import { addCanonical, rowProduct } from './poly';
import { expandMatrix } from './sample-matrix';
import { expandSecret } from './sample-secret';
import { transform } from './transform';
import { EXPANDED, PRODUCT, S1, S2, SEEDS, W, wipeWorkspace } from './workspace';

/** Offsets of rho' and K in SEEDS, behind rho. */
const SECRET_SEED: usize = 32;
const SIGNING_SEED: usize = 96;
const SEEDS_BYTES: i32 = 128;

/** (rho, rho', K) = H(seed || k || l). */
function deriveSeeds(seed: usize): void {
  spongeBegin(SHAKE256_RATE);
  spongeAbsorb(seed, SEED_BYTES);
  spongeAbsorbByte(<u8>K);
  spongeAbsorbByte(<u8>L);
  shakeFinish();
  spongeSqueeze(SEEDS, SEEDS_BYTES);
}

/** t = A * s1 + s2, then (t1, t0) = Power2Round(t): t1 for the public key, t0 for the secret one. */
function packRows(publicKey: usize, secretKey: usize): void {
  for (let i: i32 = 0; i < K; i++) {
    const t = W + POLY_BYTES * i;
    rowProduct(t, EXPANDED + POLY_BYTES * L * i, S1, 0, 0);
    inverseTransform(t);
    addCanonical(t, S2 + POLY_BYTES * i);
    powerTwoRound(t, PRODUCT);
    packT1(t, publicKey + PUBLIC_T1 + PACKED_T1_BYTES * i);
    packT0(PRODUCT, secretKey + SECRET_T0 + PACKED_T0_BYTES * i);
  }
}

export function mldsaKeygen(seed: usize, publicKey: usize, secretKey: usize): void {
  deriveSeeds(seed);
  // rho begins both keys; K goes into the secret one.
  memory.copy(publicKey, SEEDS, SEED_BYTES);
  memory.copy(secretKey, SEEDS, SEED_BYTES);
  memory.copy(secretKey + SECRET_K, SEEDS + SIGNING_SEED, SEED_BYTES);
  // A = ExpandA(rho).
  expandMatrix(publicKey, EXPANDED);
  // (s1, s2) = ExpandS(rho'), packed before s1 is transformed.
  expandSecret(SEEDS + SECRET_SEED, S1);
  for (let i: i32 = 0; i < L + K; i++) packEta(S1 + POLY_BYTES * i, secretKey + SECRET_S1 + PACKED_ETA_BYTES * i);
  for (let i: i32 = 0; i < L; i++) transform(S1 + POLY_BYTES * i);
  packRows(publicKey, secretKey);
  // tr = H(public key).
  shake256(publicKey, PUBLIC_KEY_BYTES, secretKey + SECRET_TR, TR_BYTES);
  wipeWorkspace();
}
