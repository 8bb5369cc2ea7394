/**
 * Static memory of ML-DSA, laid out once. All that a secret can touch is in one region, which
 * `wipeWorkspace` clears at the end of key generation and signing.
 */
import { lanesWipe } from '../hash/keccak-lanes';
import { spongeWipe } from '../hash/keccak';

/** Offsets in an expanded key: A at 0 (30 polynomials), then NTT(t1 * 2^d) (6 polynomials), then tr. */
export const EXPANDED_T1: usize = 30 * 1024;
export const EXPANDED_TR: usize = 36 * 1024;
export const EXPANDED_KEY_BYTES: i32 = 36 * 1024 + 64;

/** The expanded key of calls that bring no slot of their own; key generation uses its matrix. */
export const EXPANDED: usize = memory.data(36 * 1024 + 64, 16);

const WORKSPACE_BYTES: i32 = 48 * 1024;
const WORKSPACE: usize = memory.data(48 * 1024, 16);

/** s1 and s2 are in a row, as the sampler of secrets fills them. */
export const S1: usize = WORKSPACE;
export const S2: usize = S1 + 5 * 1024;
/** Tables of s1 and s2 in a row while signing, which has no other use for their place. */
export const SHORT_TABLES: usize = S1;
export const T0: usize = S2 + 6 * 1024;
/** y, then z. */
export const Z: usize = T0 + 6 * 1024;
export const Z_TRANSFORMED: usize = Z + 5 * 1024;
export const W: usize = Z_TRANSFORMED + 5 * 1024;
export const W_LOW: usize = W + 6 * 1024;
export const CHALLENGE: usize = W_LOW + 6 * 1024;
export const PRODUCT: usize = CHALLENGE + 1024;
/** Bytes of five masks and the next attempt's fifth before they are unpacked, with room for a vector load past the end. */
export const MASK_BYTES: usize = PRODUCT + 1024;
export const MASK_STRIDE: usize = 704;
/** mu, then w1 packed: what the challenge is a hash of. */
export const MU: usize = MASK_BYTES + 6 * 704;
export const W1_PACKED: usize = MU + 64;
export const CHALLENGE_HASH: usize = W1_PACKED + 768;
/** rho, rho' and K in key generation. */
export const SEEDS: usize = CHALLENGE_HASH + 64;
export const MASK_SEED: usize = SEEDS + 128;
/** Positions of hints before they are known to be few enough, with one byte written past. */
export const HINT_POSITIONS: usize = MASK_SEED + 64;
/** Where the rotations begin that are summed for a short product, with one place written past; then the two sums. */
export const ROTATIONS: usize = HINT_POSITIONS + 320;
export const ROTATION_SUMS: usize = ROTATIONS + 208;

export function wipeWorkspace(): void {
  memory.fill(WORKSPACE, 0, WORKSPACE_BYTES);
  spongeWipe();
  lanesWipe();
}
