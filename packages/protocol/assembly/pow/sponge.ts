/**
 * Keccak with its original padding, on states that the caller owns: 512 bits of result for seeds
 * and items (rate 72), 256 bits for the final result (rate 136).
 */
import { keccakF } from '../generated/keccak-f';

const RATE_512: usize = 72;

/** Absorbs one whole block of 72 bytes. */
export function absorbBlock(state: usize, block: usize): void {
  for (let at: usize = 0; at < RATE_512; at += 8) {
    store<u64>(state + at, load<u64>(state + at) ^ load<u64>(block + at));
  }
  keccakF(state);
}

/** Absorbs the rest of a message, fewer than 72 bytes, with the padding; the hash is then in `state`. */
export function finish512(state: usize, rest: usize, length: usize): void {
  for (let at: usize = 0; at < length; at++) {
    store<u8>(state + at, load<u8>(state + at) ^ load<u8>(rest + at));
  }
  store<u8>(state + length, load<u8>(state + length) ^ 0x01);
  store<u8>(state, load<u8>(state, 71) ^ 0x80, 71);
  keccakF(state);
}

export function keccak512(state: usize, message: usize, length: usize): void {
  memory.fill(state, 0, 200);
  while (length >= RATE_512) {
    absorbBlock(state, message);
    message += RATE_512;
    length -= RATE_512;
  }
  finish512(state, message, length);
}

/** Replaces the first 64 bytes of `state` by their hash. */
export function keccak512InPlace(state: usize): void {
  store<u64>(state, 0x8000000000000001, 64);
  memory.fill(state + 72, 0, 128);
  keccakF(state);
}

/** Hashes the first 96 bytes of `state` (seed and mix) to the 32 bytes at its start. */
export function keccak256InPlace(state: usize): void {
  memory.fill(state + 96, 0, 104);
  store<u8>(state, 0x01, 96);
  store<u8>(state, 0x80, 135);
  keccakF(state);
}
