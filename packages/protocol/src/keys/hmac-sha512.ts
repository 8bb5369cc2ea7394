/**
 * HMAC-SHA-512, of which keys are derived. `init` installs the one of the engine where it has one that answers at once,
 * which takes a third of the time; the portable one gives the same.
 */
import { hmac } from '@noble/hashes/hmac.js';
import { sha512 } from '@noble/hashes/sha2.js';

/** Answers 64 bytes that the caller wipes. What is given stays the caller's, and no copy of it is kept. */
export type HmacSha512 = (key: Uint8Array, data: Uint8Array) => Uint8Array;

let installed: HmacSha512 | undefined;

/** Undefined selects the portable one. */
export function installHmac(engine: HmacSha512 | undefined): void {
  installed = engine;
}

export function installedHmac(): HmacSha512 | undefined {
  return installed;
}

export function hmacSha512(key: Uint8Array, data: Uint8Array): Uint8Array {
  return installed === undefined ? hmac(sha512, key, data) : installed(key, data);
}
