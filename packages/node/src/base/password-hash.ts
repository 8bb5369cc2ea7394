/**
 * Argon2id by the engine itself, several times faster than the portable one.
 */
import { argon2Sync } from 'node:crypto';
import type { PasswordHash } from 'svc-wasm/protocol';

const KEY_BYTES = 32;

/** Undefined where Node was built without it. */
export const NATIVE_PASSWORD_HASH: PasswordHash | undefined =
  typeof argon2Sync === 'function' ? hash : undefined;

function hash(...[message, nonce, cost]: Parameters<PasswordHash>): Uint8Array {
  const { memoryKib: memory, passes, lanes: parallelism } = cost;
  const options = { message, nonce, memory, passes, parallelism, tagLength: KEY_BYTES };
  return argon2Sync('argon2id', options);
}
