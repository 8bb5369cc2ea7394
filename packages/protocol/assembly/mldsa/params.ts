/**
 * Parameters of ML-DSA-65 (FIPS 204, table 1) and the sizes that follow from them.
 */
export const Q: i32 = 8380417;
export const D: i32 = 13;
export const K: i32 = 6;
export const L: i32 = 5;
export const ETA: i32 = 4;
export const TAU: i32 = 49;
export const BETA: i32 = 196;
export const OMEGA: i32 = 55;
export const GAMMA1: i32 = 1 << 19;
export const GAMMA2: i32 = (8380417 - 1) / 32;

export const SEED_BYTES: i32 = 32;
export const TR_BYTES: i32 = 64;
export const MU_BYTES: i32 = 64;
export const CHALLENGE_BYTES: i32 = 48;

/** A polynomial in memory: 256 coefficients of 32 bits. */
export const POLY_BYTES: usize = 1024;

export const PACKED_T1_BYTES: usize = 320;
export const PACKED_T0_BYTES: usize = 416;
export const PACKED_ETA_BYTES: usize = 128;
export const PACKED_Z_BYTES: usize = 640;
export const PACKED_W1_BYTES: usize = 128;

export const PUBLIC_KEY_BYTES: i32 = 1952;
export const SIGNATURE_BYTES: i32 = 3309;

/** Public key: rho, t1. */
export const PUBLIC_T1: usize = 32;

/** Secret key: rho, K, tr, s1, s2, t0. */
export const SECRET_K: usize = 32;
export const SECRET_TR: usize = 64;
export const SECRET_S1: usize = 128;
export const SECRET_T0: usize = 1536;

/** Signature: c~, z, hint. */
export const SIGNATURE_Z: usize = 48;
export const SIGNATURE_HINT: usize = 3248;
