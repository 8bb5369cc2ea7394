/**
 * The matrices A of the keys that signed last. A is made from public bytes alone and takes a quarter of a signature, and
 * coins of one address are mostly spent one after the other. A call that traps ends its kernel, so that no matrix is
 * ever half made.
 */
import { POLY_BYTES, SEED_BYTES } from './params';
import { expandMatrix } from './sample-matrix';

const MATRICES_MAX: i32 = 4;
const MATRIX_BYTES: i32 = 30 * <i32>POLY_BYTES;

const MATRICES: usize = memory.data(4 * 30 * 1024, 16);
/** The seed rho of each matrix. */
const SEEDS: usize = memory.data(4 * 32, 16);

let known: i32 = 0;
/** The matrix that was made longest ago gives way to the next. */
let next: i32 = 0;

function equalSeeds(a: usize, b: usize): bool {
  let difference: u64 = 0;
  for (let i: usize = 0; i < <usize>SEED_BYTES; i += 8) difference |= load<u64>(a + i) ^ load<u64>(b + i);
  return difference == 0;
}

/** Where ExpandA(rho) is, made now if it is not there. */
export function matrixOf(rho: usize): usize {
  for (let i: i32 = 0; i < known; i++) {
    if (equalSeeds(rho, SEEDS + SEED_BYTES * i)) return MATRICES + MATRIX_BYTES * i;
  }
  const at = next;
  const matrix = MATRICES + MATRIX_BYTES * at;
  expandMatrix(rho, matrix);
  memory.copy(SEEDS + SEED_BYTES * at, rho, SEED_BYTES);
  next = (at + 1) % MATRICES_MAX;
  if (known < MATRICES_MAX) known++;
  return matrix;
}
