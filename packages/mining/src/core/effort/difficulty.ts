/**
 * Targets and difficulties. A target is a big-endian number of 32 bytes that a hash must not exceed; the difficulty
 * is how many hashes that takes on average, and so the work of a share. Whole numbers throughout.
 */
import { expectBytes } from 'svc-wasm/base';
import { TARGET_BYTES } from '../wire/limits.ts';

const HASHES = 1n << 256n;

export function targetNumber(target: Uint8Array): bigint {
  let number = 0n;
  for (const byte of expectBytes(target, 'target', TARGET_BYTES))
    number = (number << 8n) | BigInt(byte);
  return number;
}

export function targetBytes(number: bigint): Uint8Array {
  if (number < 0n || number >= HASHES) throw new RangeError('a target has 256 bits');
  const target = new Uint8Array(TARGET_BYTES);
  for (let at = TARGET_BYTES - 1, rest = number; at >= 0; at--, rest >>= 8n)
    target[at] = Number(rest & 0xffn);
  return target;
}

/** How many hashes one at or below the target takes on average, rounded down; at least one. */
export function difficultyOf(target: Uint8Array): bigint {
  return HASHES / (targetNumber(target) + 1n);
}

/** Difficulties whose targets are kept. */
const SHARED_MAX = 4_096;
const shared = new Map<bigint, Uint8Array>();

/**
 * As `targetOf`, with one array for all callers of the same difficulty: thousands of sessions are compared by
 * identity and share one message. Must not be changed.
 */
export function sharedTargetOf(difficulty: bigint): Uint8Array {
  const known = shared.get(difficulty);
  if (known !== undefined) return known;
  if (shared.size >= SHARED_MAX) shared.clear();
  const target = targetOf(difficulty);
  shared.set(difficulty, target);
  return target;
}

/** The easiest target that takes at least so many hashes on average. */
export function targetOf(difficulty: bigint): Uint8Array {
  if (difficulty < 1n || difficulty > HASHES) throw new RangeError('a difficulty is 1 to 2^256');
  return targetBytes(HASHES / difficulty - 1n);
}
