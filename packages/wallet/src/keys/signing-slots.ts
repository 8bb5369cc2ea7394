/**
 * Memory that a wallet shares with the thread that signs for it. A slot holds a secret key and the message to sign, then
 * the signature; a slot for a key holds its seed, then the key pair. In front of the slots is a number that tells how
 * many of them are filled, which costs less than a message for each. Seeds and secret keys are wiped by whoever reads
 * them, so that no copy of one travels in messages.
 */
import { SIGNATURE_BYTES } from 'svc-wasm/base';

/** Signatures that may wait for the thread at the same time. */
export const SLOTS = 64;
/** Keys that are made at the same time: those that the payments of four turns use for change. */
export const KEY_SLOTS = 32;
const SEED_BYTES = 32;
const PUBLIC_KEY_BYTES = 1_952;
const SECRET_KEY_BYTES = 4_032;
/** What the owner of an output signs is a hash. */
const MESSAGE_BYTES = 48;
const SLOT_BYTES = SECRET_KEY_BYTES + MESSAGE_BYTES + SIGNATURE_BYTES;
const KEY_SLOT_BYTES = SEED_BYTES + PUBLIC_KEY_BYTES + SECRET_KEY_BYTES;
/** The number of filled slots, with room for the slots to begin at a round place. */
const ORDERS_BYTES = 64;
const SIGNING_BYTES = ORDERS_BYTES + SLOTS * SLOT_BYTES;

/**
 * What the thread is told: to sign slots from the first on, as they are filled, until `Orders` says that no more come; or from
 * how many seeds it is to make keys.
 */
export type SigningOrder = 'sign' | { readonly keys: number };
/** What the thread tells: that it can begin, that everything it was told to sign is signed, and that the keys are made. */
export type SigningAnswer = 'ready' | 'signed' | 'keys';

export interface Slot {
  readonly secretKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

export interface KeySlot {
  readonly seed: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly secretKey: Uint8Array;
}

export function newSlots(): SharedArrayBuffer {
  return new SharedArrayBuffer(SIGNING_BYTES + KEY_SLOTS * KEY_SLOT_BYTES);
}

/** How many slots are filled, from the first on, and whether that is all. */
export class Orders {
  readonly #word: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#word = new Int32Array(memory, 0, 1);
  }

  /** Tells the thread. Whatever was written into the slots before is there for who reads the number. */
  tell(count: number, isAll: boolean): void {
    Atomics.store(this.#word, 0, 2 * count + (isAll ? 1 : 0));
    Atomics.notify(this.#word, 0);
  }

  /** Waits while there are so many and more may come. */
  waitBeyond(count: number): { readonly count: number; readonly isAll: boolean } {
    Atomics.wait(this.#word, 0, 2 * count);
    const word = Atomics.load(this.#word, 0);
    return { count: word >> 1, isAll: (word & 1) === 1 };
  }
}

export function slotAt(memory: SharedArrayBuffer, at: number): Slot {
  const begin = ORDERS_BYTES + at * SLOT_BYTES;
  const messageAt = begin + SECRET_KEY_BYTES;
  return {
    secretKey: new Uint8Array(memory, begin, SECRET_KEY_BYTES),
    message: new Uint8Array(memory, messageAt, MESSAGE_BYTES),
    signature: new Uint8Array(memory, messageAt + MESSAGE_BYTES, SIGNATURE_BYTES),
  };
}

export function keySlotAt(memory: SharedArrayBuffer, at: number): KeySlot {
  const begin = SIGNING_BYTES + at * KEY_SLOT_BYTES;
  const publicKeyAt = begin + SEED_BYTES;
  return {
    seed: new Uint8Array(memory, begin, SEED_BYTES),
    publicKey: new Uint8Array(memory, publicKeyAt, PUBLIC_KEY_BYTES),
    secretKey: new Uint8Array(memory, publicKeyAt + PUBLIC_KEY_BYTES, SECRET_KEY_BYTES),
  };
}
