/**
 * Four Keccak states permuted at once, for callers that own the states and the scratch memory: threads
 * that share static memory must not meet in it. Only the first words of each state come back, which
 * is what a hash of up to 64 bytes is read from.
 */
import { keccakFFour } from '../generated/keccak-f-four';
import { keccakFPair } from '../generated/keccak-f-pair';
import { keccakF, usesVectorsAlone } from './keccak-form';

/** Two states laid over each other, word i of both in one vector, up to the next multiple of 32. */
const PAIR_BYTES: usize = 416;
/** A state, and the part of it that is whole vectors. */
const STATE_BYTES: usize = 200;
const VECTORS_BYTES: usize = 192;
/** What comes back of a state. */
const RESULT_BYTES: usize = 64;

function join(first: usize, second: usize, pair: usize): void {
  for (let at: usize = 0; at < VECTORS_BYTES; at += 16) {
    const a = v128.load(first + at), b = v128.load(second + at);
    v128.store(pair + 2 * at, v128.shuffle<i64>(a, b, 0, 2));
    v128.store(pair + 2 * at, v128.shuffle<i64>(a, b, 1, 3), 16);
  }
  store<u64>(pair, load<u64>(first, VECTORS_BYTES), 2 * VECTORS_BYTES);
  store<u64>(pair, load<u64>(second, VECTORS_BYTES), 2 * VECTORS_BYTES + 8);
}

function separate(pair: usize, first: usize, second: usize): void {
  for (let at: usize = 0; at < RESULT_BYTES; at += 16) {
    const a = v128.load(pair + 2 * at), b = v128.load(pair + 2 * at, 16);
    v128.store(first + at, v128.shuffle<i64>(a, b, 0, 2));
    v128.store(second + at, v128.shuffle<i64>(a, b, 1, 3));
  }
}

/** Copies a multiple of 8 bytes, word by word: `memory.copy` costs a call out of the kernel. */
@inline
function copyWords(to: usize, from: usize, bytes: usize): void {
  for (let at: usize = 0; at < bytes; at += 8) store<u64>(to + at, load<u64>(from + at));
}

/**
 * Permutes the states at `states`, `states + stride` and so on, aligned to 16, and leaves the first 64
 * bytes of each in its place. `scratch` are 832 bytes aligned to 16.
 */
export function permuteFour(states: usize, stride: usize, scratch: usize): void {
  const second = states + stride, third = second + stride, fourth = third + stride;
  if (!ASC_FEATURE_SIMD) {
    keccakF(states);
    keccakF(second);
    keccakF(third);
    keccakF(fourth);
    return;
  }
  const others = scratch + PAIR_BYTES;
  join(states, second, scratch);
  if (usesVectorsAlone()) {
    join(third, fourth, others);
    keccakFPair(scratch);
    keccakFPair(others);
    separate(others, third, fourth);
  } else {
    copyWords(others, third, STATE_BYTES);
    copyWords(others + STATE_BYTES, fourth, STATE_BYTES);
    keccakFFour(scratch, others);
    copyWords(third, others, RESULT_BYTES);
    copyWords(fourth, others + STATE_BYTES, RESULT_BYTES);
  }
  separate(scratch, states, second);
}
