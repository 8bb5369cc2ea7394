/**
 * Nonce prefixes of connections: the last bytes of every nonce that a connection may submit. They are counted
 * upwards, and one that a connection or a resumable session still has is skipped, so that no two ever search the
 * same nonces of a template.
 */
import { NONCE_FREE_BYTES, NONCE_PREFIX_BYTES } from '../wire/limits.ts';

export class NoncePrefixes {
  readonly #used = new Set<number>();
  readonly #size: number;
  #next: number;

  /** `size` is smaller than what the bytes can hold in tests alone. */
  constructor(start = 0, size: number = 2 ** (8 * NONCE_PREFIX_BYTES)) {
    this.#next = start % size;
    this.#size = size;
  }

  get used(): number {
    return this.#used.size;
  }

  /** Undefined if all are in use. */
  allocate(): Uint8Array | undefined {
    if (this.#used.size >= this.#size) return undefined;
    while (this.#used.has(this.#next)) this.#next = (this.#next + 1) % this.#size;
    const number = this.#next;
    this.#used.add(number);
    this.#next = (number + 1) % this.#size;
    const prefix = new Uint8Array(NONCE_PREFIX_BYTES);
    new DataView(prefix.buffer).setUint32(0, number);
    return prefix;
  }

  /** Only when nothing that was searched with the prefix can be submitted any more. */
  release(prefix: Uint8Array): void {
    const view = new DataView(prefix.buffer, prefix.byteOffset, prefix.byteLength);
    this.#used.delete(view.getUint32(0));
  }
}

/** The nonce with the prefix in its last bytes, whether the message carried these or not. */
export function wholeNonce(nonce: Uint8Array, prefix: Uint8Array): Uint8Array {
  if (nonce.length !== NONCE_FREE_BYTES) return nonce;
  const whole = new Uint8Array(NONCE_FREE_BYTES + prefix.length);
  whole.set(nonce);
  whole.set(prefix, NONCE_FREE_BYTES);
  return whole;
}

export function hasPrefix(nonce: Uint8Array, prefix: Uint8Array): boolean {
  return prefix.every((byte, index) => nonce[NONCE_FREE_BYTES + index] === byte);
}
