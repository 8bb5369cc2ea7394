/** What the wallet and its signing thread send each other. Every buffer is transferred, so that secrets are not copied. */
import { ADDRESS_BYTES } from 'svc-wasm/base';

export const SEED_BYTES = 32;
export const SECRET_KEY_BYTES = 4_032;
export const PUBLIC_KEY_BYTES = 1_952;
/** The owner of an output signs a hash. */
export const MESSAGE_BYTES = 48;
/** A secret key, and the message to sign with it. */
export const ORDER_BYTES = SECRET_KEY_BYTES + MESSAGE_BYTES;
/** A secret key, its public key and the bytes of the address. */
export const KEY_BYTES = SECRET_KEY_BYTES + PUBLIC_KEY_BYTES + ADDRESS_BYTES;

/** Orders to sign, or seeds to make keys from, one after the other. */
export type SigningOrder =
  | { readonly orders: Uint8Array<ArrayBuffer> }
  | { readonly seeds: Uint8Array<ArrayBuffer> };

/** `ready` once; then an answer for each order, in their order. */
export type SigningAnswer =
  | 'ready'
  | { readonly signatures: Uint8Array<ArrayBuffer> }
  | { readonly keys: Uint8Array<ArrayBuffer> };
