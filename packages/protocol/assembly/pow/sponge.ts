/**
 * Keccak with its original padding, on states that the caller owns: 512 bits of result for seeds
 * and items (rate 72), 256 bits for the final result (rate 136).
 */
import { permuteFour } from '../hash/keccak-four';
import { keccakF } from '../hash/keccak-form';
import { fourSponges, SPONGE_BYTES } from './area';

/** The state of Keccak-f[1600]: 25 lanes of 64 bits. */
export const STATE_BYTES: usize = 200;
/** Bytes of a block of Keccak-512, and the last of them. */
export const RATE_512: usize = 72;
const LAST_OF_512: usize = 71;
/** The last byte of a block of Keccak-256. */
const LAST_OF_256: usize = 135;
/** Bytes of a result of Keccak-512. */
export const RESULT_512: usize = 64;
/** The seed of a hash and its compressed mix, which the final hash covers. */
const SEED_AND_MIX_BYTES: usize = 96;
/**
 * The padding pad10*1 without domain bits: its first bit behind the message, its last in the block's
 * last byte.
 */
const PADDING_BEGIN: u8 = 0x01;
const PADDING_END: u8 = 0x80;
/** Both in the ninth word, where a message of 64 bytes leaves one word of the block. */
const PADDING_WORD: u64 = 0x8000000000000001;

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
  store<u8>(state + length, load<u8>(state + length) ^ PADDING_BEGIN);
  store<u8>(state, load<u8>(state, LAST_OF_512) ^ PADDING_END, LAST_OF_512);
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
  for (let at = state + from; at < state + STATE_BYTES; at += 8) store<u64>(at, 0);
}

@inline
function pad512(state: usize): void {
  store<u64>(state, PADDING_WORD, RESULT_512);
  clear(state, RATE_512);
}

@inline
function pad256(state: usize): void {
  clear(state, SEED_AND_MIX_BYTES);
  store<u8>(state, PADDING_BEGIN, SEED_AND_MIX_BYTES);
  store<u8>(state, PADDING_END, LAST_OF_256);
}

/** Replaces the first 64 bytes of `state` by their hash. */
export function keccak512InPlace(state: usize): void {
  pad512(state);
  keccakF(state);
}

/** Hashes the first 96 bytes of `state` (seed and mix) to the 32 bytes at its start. */
export function keccak256InPlace(state: usize): void {
  pad256(state);
  keccakF(state);
}

/** Permutes four sponges that follow each other; the first 64 bytes of each come back. */
@inline
export function permuteSponges(sponges: usize): void {
  permuteFour(sponges, SPONGE_BYTES, fourSponges());
}

/** `keccak512InPlace` of four sponges that follow each other. */
export function keccak512InPlaceFour(sponges: usize): void {
  for (let lane: usize = 0; lane < 4; lane++) pad512(sponges + lane * SPONGE_BYTES);
  permuteSponges(sponges);
}

/** `keccak256InPlace` of four sponges that follow each other. */
export function keccak256InPlaceFour(sponges: usize): void {
  for (let lane: usize = 0; lane < 4; lane++) pad256(sponges + lane * SPONGE_BYTES);
  permuteSponges(sponges);
}
