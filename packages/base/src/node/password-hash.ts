/**
 * Argon2id by the engine itself, several times faster than the portable one of `packages/protocol`. The entry of that package
 * for Node has the same few lines once more: the two packages import nothing from each other.
 */
import { argon2Sync } from 'node:crypto';

const KEY_BYTES = 32;

/** What one hash costs, as files and keys record it. */
export interface Argon2Cost {
  readonly memoryKib: number;
  readonly passes: number;
  readonly lanes: number;
}

/** Undefined where Node was built without it. */
export const NATIVE_PASSWORD_HASH: typeof hash | undefined =
  typeof argon2Sync === 'function' ? hash : undefined;

function hash(message: Uint8Array, nonce: Uint8Array, cost: Argon2Cost): Uint8Array {
  const { memoryKib: memory, passes, lanes: parallelism } = cost;
  const options = { message, nonce, memory, passes, parallelism, tagLength: KEY_BYTES };
  return argon2Sync('argon2id', options);
}
