/**
 * The miner's loop: counts through nonces and stops at the first result at or below a target.
 *
 * The input is the label and a header, 322 bytes. A 64-bit counter is laid over the first bytes of
 * the nonce, which the host has cleared; only the last block of the sponge holds it, so the blocks
 * before are absorbed once.
 */
import { keccakF } from '../hash/keccak-form';
import { hashSponge, midstate, powInput, powTargets } from './area';
import { hashFull4, hashLight, publish } from './hash';
import { absorbBlock, addLast, clear, permuteSponges, RATE_512, STATE_BYTES } from './sponge';

const INPUT_BYTES: usize = 322;
const NONCE_BYTES: usize = 24;
const NONCE_AT: usize = INPUT_BYTES - NONCE_BYTES;
/** The input without its last block is four whole blocks. */
const LAST_BLOCK_AT: usize = 4 * RATE_512;
const TARGET_BYTES: usize = 32;

function prepare(): void {
  const state = midstate();
  const input = powInput();
  clear(state, 0);
  for (let at: usize = 0; at < LAST_BLOCK_AT; at += RATE_512) absorbBlock(state, input + at);
  addLast(state, input + LAST_BLOCK_AT, INPUT_BYTES - LAST_BLOCK_AT);
}

/** Lays a nonce over the input; the permutation is left to do. */
@inline
function layNonce(lane: usize, counter: u64): void {
  const state = hashSponge(lane);
  const from = midstate();
  for (let at: usize = 0; at < STATE_BYTES; at += 8) store<u64>(state + at, load<u64>(from + at));
  const at = state + NONCE_AT - LAST_BLOCK_AT;
  store<u64>(at, load<u64>(at) ^ counter);
}

/** Whether the 256-bit big-endian number at `value` is at most the one at `target`. */
function atMost(value: usize, target: usize): bool {
  for (let at: usize = 0; at < TARGET_BYTES; at += 8) {
    const a = bswap<u64>(load<u64>(value + at));
    const b = bswap<u64>(load<u64>(target + at));
    if (a != b) return a < b;
  }
  return true;
}

@inline
function isHit(lane: usize): bool {
  const result = hashSponge(lane);
  return atMost(result, powTargets()) || atMost(result, powTargets() + TARGET_BYTES);
}

/** Tries `count` nonces from `counter` on; returns how many came before the first hit. */
export function powSearch(counter: u64, count: u32): u32 {
  prepare();
  for (let done: u32 = 0; done < count; done += 4) {
    for (let lane: u32 = 0; lane < 4; lane++) layNonce(lane, counter + done + lane);
    permuteSponges(hashSponge(0));
    hashFull4();
    for (let lane: u32 = 0; lane < 4 && done + lane < count; lane++) {
      if (!isHit(lane)) continue;
      publish(lane);
      return done + lane;
    }
  }
  return count;
}

/** Tries nonces as `powSearch` does, with the cache alone. */
export function powSearchLight(counter: u64, count: u32): u32 {
  prepare();
  for (let done: u32 = 0; done < count; done++) {
    layNonce(0, counter + done);
    keccakF(hashSponge(0));
    hashLight(0);
    if (!isHit(0)) continue;
    publish(0);
    return done;
  }
  return count;
}
