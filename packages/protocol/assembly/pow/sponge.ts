/**
 * Keccak with its original padding, on states that the caller owns: 512 bits of result for seeds
 * and items (rate 72), 256 bits for the final result (rate 136).
 */
import { keccakF } from '../generated/keccak-f';

export const RATE_512: usize = 72;

/** Absorbs one whole block of 72 bytes. */
export function absorbBlock(state: usize, block: usize): void {
  for (let at: usize = 0; at < RATE_512; at += 8) {
    store<u64>(state + at, load<u64>(state + at) ^ load<u64>(block + at));
  }
  keccakF(state);
}

/** Adds the rest of a message, fewer than 72 bytes, and the padding; the permutation is left to do. */
export function addLast(state: usize, rest: usize, length: usize): void {
  for (let at: usize = 0; at < length; at++) {
    store<u8>(state + at, load<u8>(state + at) ^ load<u8>(rest + at));
  }
  store<u8>(state + length, load<u8>(state + length) ^ 0x01);
  store<u8>(state, load<u8>(state, 71) ^ 0x80, 71);
}

export function keccak512(state: usize, message: usize, length: usize): void {
  clear(state, 0);
  while (length >= RATE_512) {
    absorbBlock(state, message);
    message += RATE_512;
    length -= RATE_512;
  }
  addLast(state, message, length);
  keccakF(state);
}

/** Copies 64 bytes, word by word: `memory.copy` costs a call out of the kernel. */
@inline
export function copy64(to: usize, from: usize): void {
  store<u64>(to, load<u64>(from));
  store<u64>(to, load<u64>(from, 8), 8);
  store<u64>(to, load<u64>(from, 16), 16);
  store<u64>(to, load<u64>(from, 24), 24);
  store<u64>(to, load<u64>(from, 32), 32);
  store<u64>(to, load<u64>(from, 40), 40);
  store<u64>(to, load<u64>(from, 48), 48);
  store<u64>(to, load<u64>(from, 56), 56);
}

/** Clears a state from byte `from`, a multiple of 8, to its end. */
@inline
export function clear(state: usize, from: usize): void {
  for (let at = state + from; at < state + 200; at += 8) store<u64>(at, 0);
}

/** Replaces the first 64 bytes of `state` by their hash. */
export function keccak512InPlace(state: usize): void {
  store<u64>(state, 0x8000000000000001, 64);
  clear(state, 72);
  keccakF(state);
}

/** Hashes the first 96 bytes of `state` (seed and mix) to the 32 bytes at its start. */
export function keccak256InPlace(state: usize): void {
  clear(state, 96);
  store<u8>(state, 0x01, 96);
  store<u8>(state, 0x80, 135);
  keccakF(state);
}
