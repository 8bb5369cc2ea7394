/**
 * Parameters of ML-DSA-65 (FIPS 204, table 1) and the sizes that follow from them.
 */

/** The modulus: coefficients are numbers modulo q. */
export const Q: i32 = 8380417;
/** Bits that t0 takes away from t. */
export const D: i32 = 13;
/** Rows of the matrix A, and polynomials of s2, t and w. */
export const K: i32 = 6;
/** Columns of the matrix A, and polynomials of s1, y and z. */
export const L: i32 = 5;
/** Largest coefficient of s1 and s2. */
export const ETA: i32 = 4;
/** Coefficients of the challenge that are not zero. */
export const TAU: i32 = 49;
/** tau * eta: the most that c * s1 or c * s2 can add to a coefficient. */
export const BETA: i32 = 196;
/** Most hints of a signature. */
export const OMEGA: i32 = 55;
/** Range of the mask y. */
export const GAMMA1: i32 = 1 << 19;
/** Half the range of low bits. */
export const GAMMA2: i32 = (8380417 - 1) / 32;

/** Coefficients of a polynomial. */
export const N: i32 = 256;

export const SEED_BYTES: i32 = 32;
export const TR_BYTES: i32 = 64;
export const MU_BYTES: i32 = 64;
export const CHALLENGE_BYTES: i32 = 48;

/** A coefficient in memory. */
export const COEFFICIENT_BYTES: usize = 4;
/** Four coefficients in a vector register. */
export const VECTOR_BYTES: usize = 16;
/** A polynomial in memory: 256 coefficients of 32 bits. */
export const POLY_BYTES: usize = 1024;

/** A polynomial of t1, 10 bits a coefficient. */
export const PACKED_T1_BYTES: usize = 320;
/** A polynomial of t0, 13 bits a coefficient. */
export const PACKED_T0_BYTES: usize = 416;
/** A polynomial of s1 or s2, 4 bits a coefficient. */
export const PACKED_ETA_BYTES: usize = 128;
/** A polynomial of y or z, 20 bits a coefficient. */
export const PACKED_Z_BYTES: usize = 640;
/** High bits of a polynomial of w, 4 bits a coefficient. */
export const PACKED_W1_BYTES: usize = 128;

export const PUBLIC_KEY_BYTES: i32 = 1952;
export const SIGNATURE_BYTES: i32 = 3309;

/** Offsets in a public key: rho at 0, then t1 (pkEncode, algorithm 22). */
export const PUBLIC_T1: usize = 32;

/** Offsets in a secret key: rho at 0, then K, tr, s1 and s2 in a row, t0 (skEncode, algorithm 24). */
export const SECRET_K: usize = 32;
export const SECRET_TR: usize = 64;
export const SECRET_S1: usize = 128;
export const SECRET_T0: usize = 1536;

/** Offsets in a signature: c~ at 0, then z, then the hint (sigEncode, algorithm 26). */
export const SIGNATURE_Z: usize = 48;
export const SIGNATURE_HINT: usize = 3248;
