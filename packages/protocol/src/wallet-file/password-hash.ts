/**
 * Argon2id over passwords: in the calling thread, or in another one. `init` installs what the
 * environment has (a worker, the engine's own); without it the portable hash runs in the calling thread, which gives
 * way to other work every few milliseconds where the caller waits for a promise.
 */
import { argon2id, argon2idAsync } from '@noble/hashes/argon2.js';
import type { WalletFileCost } from './cost.ts';
import { installedPasswordHash, type PasswordHash } from './installed-hash.ts';

const KEY_BYTES = 32;
/** How long the hash runs before it yields the thread. */
const TURN_MILLIS = 8;

export const hashPortably: PasswordHash = (password, salt, { memoryKib: m, passes: t, lanes: p }) =>
  argon2id(password, salt, { m, t, p, dkLen: KEY_BYTES });

export const hashHere: PasswordHash = (password, salt, cost) =>
  (installedPasswordHash().here ?? hashPortably)(password, salt, cost);

export async function hashInTurns(
  password: Uint8Array,
  salt: Uint8Array,
  { memoryKib: m, passes: t, lanes: p }: WalletFileCost,
): Promise<Uint8Array> {
  return argon2idAsync(password, salt, { m, t, p, dkLen: KEY_BYTES, asyncTick: TURN_MILLIS });
}

export async function hashMeanwhile(
  password: Uint8Array,
  salt: Uint8Array,
  cost: WalletFileCost,
): Promise<Uint8Array> {
  const key = await installedPasswordHash().meanwhile?.(password, salt, cost);
  return key ?? hashInTurns(password, salt, cost);
}
