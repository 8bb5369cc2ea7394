/**
 * Randomness: the operating system's, through the one interface that every host has.
 */
export function randomBytes(length: number): Uint8Array {
  return globalThis.crypto.getRandomValues(new Uint8Array(length));
}
