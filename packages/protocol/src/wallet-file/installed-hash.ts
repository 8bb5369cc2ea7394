/**
 * The password hash of the environment: a worker, or the engine's own. `init` installs it. It is separate from the
 * portable hash, so that a program that opens no wallet files does not carry Argon2id.
 */
import type { WalletFileCost } from './cost.ts';

/** Argon2id over a password. */
export type PasswordHash = (
  password: Uint8Array,
  salt: Uint8Array,
  cost: WalletFileCost,
) => Uint8Array;

/** The same in another thread; undefined where that turns out to be impossible. */
export type AsyncPasswordHash = (
  ...given: Parameters<PasswordHash>
) => Promise<Uint8Array | undefined>;

export interface InstalledHash {
  readonly meanwhile?: AsyncPasswordHash;
  /** In the calling thread, faster than the portable one. */
  readonly here?: PasswordHash;
}

let installed: InstalledHash = {};

export function installPasswordHash(hash: InstalledHash): void {
  installed = hash;
}

export function installedPasswordHash(): InstalledHash {
  return installed;
}
