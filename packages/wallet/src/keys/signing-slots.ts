/**
 * Memory that a wallet shares with the thread that signs for it: a slot holds a secret key and the message to sign, then
 * the signature. The key is wiped by the thread as soon as it is used, so that no copy of it travels in messages.
 */
import { SIGNATURE_BYTES } from 'svc-wasm/base';

/** Signatures that may wait for the thread at the same time. */
export const SLOTS = 64;
const SECRET_KEY_BYTES = 4_032;
/** What the owner of an output signs is a hash. */
const MESSAGE_BYTES = 48;
const SLOT_BYTES = SECRET_KEY_BYTES + MESSAGE_BYTES + SIGNATURE_BYTES;

/** What the thread is told: the number of a slot to sign, or that it is to answer once all before are signed. */
export type SigningOrder = number | 'answer';
/** What the thread tells: that it can begin, and that everything it was told to sign is signed. */
export type SigningAnswer = 'ready' | 'signed';

export interface Slot {
  readonly secretKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

export function newSlots(): SharedArrayBuffer {
  return new SharedArrayBuffer(SLOTS * SLOT_BYTES);
}

export function slotAt(memory: SharedArrayBuffer, at: number): Slot {
  const begin = at * SLOT_BYTES;
  const messageAt = begin + SECRET_KEY_BYTES;
  return {
    secretKey: new Uint8Array(memory, begin, SECRET_KEY_BYTES),
    message: new Uint8Array(memory, messageAt, MESSAGE_BYTES),
    signature: new Uint8Array(memory, messageAt + MESSAGE_BYTES, SIGNATURE_BYTES),
  };
}
