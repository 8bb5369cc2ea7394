/**
 * The hash of passwords that the environment has: a worker, or threads of the engine. `init` installs it. It stands apart from
 * the hash itself, so that a program that opens no wallet files does not carry Argon2id.
 */
import type { WalletFileCost } from './cost.ts';

/** Argon2id over a password, elsewhere than in the calling thread; undefined where that cannot be had after all. */
export type AsyncPasswordHash = (
  password: Uint8Array,
  salt: Uint8Array,
  cost: WalletFileCost,
) => Promise<Uint8Array | undefined>;

let installed: AsyncPasswordHash | undefined;

export function installPasswordHash(hash: AsyncPasswordHash): void {
  installed = hash;
}

export function installedPasswordHash(): AsyncPasswordHash | undefined {
  return installed;
}
