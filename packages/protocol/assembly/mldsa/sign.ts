/**
 * ML-DSA.Sign_internal (FIPS 204, algorithm 7): the loop that samples a mask until the signature
 * shows nothing of the key. It branches on whether an attempt is rejected, as the standard does, and
 * on no other value made from a secret. Wipes its workspace; the arguments are the caller's to wipe.
 */
import { SHAKE256_RATE, shake256, shakeFinish, spongeAbsorb, spongeBegin, spongeSqueeze } from '../hash/keccak';
import { packHighBits, splitLowBits } from './decompose';
import { makeHints, packHints } from './hint';
import { matrixOf } from './known-matrices';
import { messageRepresentative } from './message';
import { inverseTransform } from './inverse-transform';
import { packZ, unpackT0 } from './pack';
import {
  BETA,
  CHALLENGE_BYTES,
  GAMMA1,
  GAMMA2,
  K,
  L,
  MU_BYTES,
  OMEGA,
  PACKED_ETA_BYTES,
  PACKED_T0_BYTES,
  PACKED_W1_BYTES,
  PACKED_Z_BYTES,
  POLY_BYTES,
  SECRET_K,
  SECRET_S1,
  SECRET_T0,
  SECRET_TR,
  SEED_BYTES,
  SIGNATURE_BYTES,
  SIGNATURE_HINT,
  SIGNATURE_Z,
} from './params';
import { add, centre, exceeds, multiply, rowProduct, subtract } from './poly';
import { sampleInBall } from './sample-ball';
import { expandMask } from './sample-mask';
import { listRotations, SHORT_TABLE_BYTES, shortProduct, unpackShort } from './short-product';
import { transform } from './transform';
import {
  CHALLENGE,
  CHALLENGE_HASH,
  MASK_SEED,
  MU,
  PRODUCT,
  SHORT_TABLES,
  T0,
  W,
  W1_PACKED,
  W_LOW,
  wipeWorkspace,
  Z,
  Z_TRANSFORMED,
} from './workspace';

/** FIPS 204, appendix C: more attempts are needed with a chance below 2^-256. */
const ATTEMPTS_MAX: i32 = 814;

const MASK_SEED_BYTES: i32 = 64;

/** A of the key that signs. */
let matrix: usize = 0;

/** The table of polynomial i of s1, or of polynomial i - L of s2. */
@inline
function shortTable(i: i32): usize {
  return SHORT_TABLES + SHORT_TABLE_BYTES * i;
}

/**
 * skDecode, then tables of s1 and s2, NTT(t0) and A = ExpandA(rho). False if s1 or s2 is not what key
 * generation can have made.
 */
function loadSecretKey(secretKey: usize): bool {
  let fits = true;
  for (let i: i32 = 0; i < L + K; i++) {
    if (!unpackShort(secretKey + SECRET_S1 + PACKED_ETA_BYTES * i, shortTable(i))) fits = false;
  }
  for (let i: i32 = 0; i < K; i++) {
    unpackT0(secretKey + SECRET_T0 + PACKED_T0_BYTES * i, T0 + POLY_BYTES * i);
    transform(T0 + POLY_BYTES * i);
  }
  matrix = matrixOf(secretKey);
  return fits;
}

/** rho'' = H(K || random || mu). */
function deriveMaskSeed(secretKey: usize, random: usize): void {
  spongeBegin(SHAKE256_RATE);
  spongeAbsorb(secretKey + SECRET_K, SEED_BYTES);
  spongeAbsorb(random, SEED_BYTES);
  spongeAbsorb(MU, MU_BYTES);
  shakeFinish();
  spongeSqueeze(MASK_SEED, MASK_SEED_BYTES);
}

/** w = A * y, w1 = HighBits(w), c~ = H(mu || w1Encode(w1)), c = SampleInBall(c~). */
function commit(): void {
  memory.copy(Z_TRANSFORMED, Z, POLY_BYTES * L);
  for (let i: i32 = 0; i < L; i++) transform(Z_TRANSFORMED + POLY_BYTES * i);
  for (let i: i32 = 0; i < K; i++) {
    const w = W + POLY_BYTES * i;
    rowProduct(w, matrix + POLY_BYTES * L * i, Z_TRANSFORMED, 0, 0);
    inverseTransform(w);
    packHighBits(w, W1_PACKED + PACKED_W1_BYTES * i);
  }
  shake256(MU, MU_BYTES + <i32>PACKED_W1_BYTES * K, CHALLENGE_HASH, CHALLENGE_BYTES);
  sampleInBall(CHALLENGE_HASH, CHALLENGE);
  listRotations(CHALLENGE);
}

/**
 * r0 = LowBits(w) - c * s2. False if r0 is as long as gamma2 - beta: it would show something of s2. Most attempts end
 * here at one of the first rows, so that a row's low bits are made when its turn comes.
 */
function lowPartIsShort(): bool {
  for (let i: i32 = 0; i < K; i++) {
    const low = W_LOW + POLY_BYTES * i;
    splitLowBits(W + POLY_BYTES * i, low);
    shortProduct(PRODUCT, shortTable(L + i));
    subtract(low, PRODUCT);
    if (exceeds(low, GAMMA2 - BETA)) return false;
  }
  return true;
}

/** z = y + c * s1. False if z is as long as gamma1 - beta: it would show something of s1. */
function respond(): bool {
  for (let i: i32 = 0; i < L; i++) {
    const z = Z + POLY_BYTES * i;
    shortProduct(PRODUCT, shortTable(i));
    add(z, PRODUCT);
    if (exceeds(z, GAMMA1 - BETA)) return false;
  }
  return true;
}

/**
 * h = MakeHint of c * t0, which the public key lacks. False if c * t0 is too long or hints are too
 * many.
 */
function writeHints(hint: usize): bool {
  memory.fill(hint, 0, OMEGA + K);
  let count: i32 = 0;
  transform(CHALLENGE);
  for (let i: i32 = 0; i < K; i++) {
    const low = W_LOW + POLY_BYTES * i;
    multiply(PRODUCT, CHALLENGE, T0 + POLY_BYTES * i);
    inverseTransform(PRODUCT);
    centre(PRODUCT);
    if (exceeds(PRODUCT, GAMMA2)) return false;
    add(low, PRODUCT);
    const next = makeHints(low, W + POLY_BYTES * i, count);
    if (next > OMEGA) return false;
    packHints(hint, i, count, next);
    count = next;
  }
  return true;
}

/**
 * rho'', then attempts with kappa = 0, l, 2l, … until one is not rejected; sigEncode(c~, z, h). The
 * low part comes first because it rejects two attempts of three, and z one of three.
 */
function tryToSign(secretKey: usize, random: usize, signature: usize): bool {
  deriveMaskSeed(secretKey, random);
  for (let attempt: i32 = 0; attempt < ATTEMPTS_MAX; attempt++) {
    expandMask(MASK_SEED, attempt, Z);
    commit();
    if (lowPartIsShort() && respond() && writeHints(signature + SIGNATURE_HINT)) {
      memory.copy(signature, CHALLENGE_HASH, CHALLENGE_BYTES);
      for (let i: i32 = 0; i < L; i++) packZ(Z + POLY_BYTES * i, signature + SIGNATURE_Z + PACKED_Z_BYTES * i);
      return true;
    }
  }
  return false;
}

/** Signs the representative in MU, then wipes the workspace; leaves no half of a signature behind. */
function signRepresentative(secretKey: usize, random: usize, signature: usize): bool {
  const signed = loadSecretKey(secretKey) && tryToSign(secretKey, random, signature);
  if (!signed) memory.fill(signature, 0, SIGNATURE_BYTES);
  wipeWorkspace();
  return signed;
}

/**
 * `random` is 32 fresh bytes, or 32 zero bytes for a deterministic signature. False if the key is
 * malformed, or if the attempts run out.
 */
export function mldsaSign(
  secretKey: usize,
  message: usize,
  messageLength: i32,
  context: usize,
  contextLength: i32,
  random: usize,
  signature: usize,
): bool {
  messageRepresentative(secretKey + SECRET_TR, message, messageLength, context, contextLength, MU);
  return signRepresentative(secretKey, random, signature);
}

/** Signs a message representative made elsewhere (FIPS 204, algorithm 7 from line 7). */
export function mldsaSignMu(secretKey: usize, mu: usize, random: usize, signature: usize): bool {
  memory.copy(MU, mu, MU_BYTES);
  return signRepresentative(secretKey, random, signature);
}
