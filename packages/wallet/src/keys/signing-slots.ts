/**
 * Memory that a wallet shares with the thread that signs for it. A slot holds a secret key and the message to sign, then
 * the signature; a slot for a key holds its seed, then the key pair and the bytes of its address. Slots for signatures lie in two banks, so that the
 * orders of one group of payments are written while the thread signs those of another. In front of the slots is a number
 * for each bank that tells how many of its slots are filled, which costs less than a message for each. Seeds and secret
 * keys are wiped by whoever reads them, so that no copy of one travels in messages.
 */
import { ADDRESS_BYTES, SIGNATURE_BYTES } from 'svc-wasm/base';

/** Groups of signatures that may be under way at the same time. */
export const BANKS = 2;
/** Signatures of one group that may wait for the thread. */
export const SLOTS = 64;
/** Keys that are made at the same time: those that the payments of four groups use for change. */
export const KEY_SLOTS = 32;
const SEED_BYTES = 32;
const PUBLIC_KEY_BYTES = 1_952;
const SECRET_KEY_BYTES = 4_032;
/** What the owner of an output signs is a hash. */
const MESSAGE_BYTES = 48;
/** Slots begin at multiples of so many bytes: shared memory is copied a word at a time only from and to whole words. */
const SLOT_UNIT_BYTES = 16;
const SLOT_BYTES = roundedUp(SECRET_KEY_BYTES + MESSAGE_BYTES + SIGNATURE_BYTES);
const KEY_SLOT_BYTES = roundedUp(SEED_BYTES + PUBLIC_KEY_BYTES + SECRET_KEY_BYTES + ADDRESS_BYTES);
/** The numbers of filled slots, with room for the slots to begin at a round place. */
const ORDERS_BYTES = 64;
const SIGNING_BYTES = ORDERS_BYTES + BANKS * SLOTS * SLOT_BYTES;

/**
 * What the thread is told: to sign the slots of a bank from the first on, as they are filled, until `Orders` says that no more
 * come; or from how many seeds it is to make keys.
 */
export type SigningOrder = { readonly bank: number } | { readonly keys: number };
/** What the thread tells: that it can begin, that everything is signed that it was told in a bank, and that the keys are made. */
export type SigningAnswer = 'ready' | { readonly signed: number } | 'keys';

export interface Slot {
  readonly secretKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

export interface KeySlot {
  readonly seed: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly secretKey: Uint8Array;
  readonly address: Uint8Array;
}

function roundedUp(bytes: number): number {
  return Math.ceil(bytes / SLOT_UNIT_BYTES) * SLOT_UNIT_BYTES;
}

export function newSlots(): SharedArrayBuffer {
  return new SharedArrayBuffer(SIGNING_BYTES + KEY_SLOTS * KEY_SLOT_BYTES);
}

/** How many slots of a bank are filled, from the first on, and whether that is all. */
export class Orders {
  readonly #word: Int32Array;

  constructor(memory: SharedArrayBuffer, bank: number) {
    this.#word = new Int32Array(memory, bank * Int32Array.BYTES_PER_ELEMENT, 1);
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

export function slotAt(memory: SharedArrayBuffer, bank: number, at: number): Slot {
  const begin = ORDERS_BYTES + (bank * SLOTS + at) * SLOT_BYTES;
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
  const secretKeyAt = publicKeyAt + PUBLIC_KEY_BYTES;
  return {
    seed: new Uint8Array(memory, begin, SEED_BYTES),
    publicKey: new Uint8Array(memory, publicKeyAt, PUBLIC_KEY_BYTES),
    secretKey: new Uint8Array(memory, secretKeyAt, SECRET_KEY_BYTES),
    address: new Uint8Array(memory, secretKeyAt + SECRET_KEY_BYTES, ADDRESS_BYTES),
  };
}
