/**
 * Sizes of the messenger, each stated once.
 */
import type { MessengerLimits } from './documents.ts';

export const MESSENGER_VERSION = 1;
export const MAGIC_BYTES = 4;
export const HEAD_BYTES = MAGIC_BYTES + 2;
export const NONCE_BYTES = 32;
export const KEM_PUBLIC_KEY_BYTES = 1184;
export const KEM_CIPHERTEXT_BYTES = 1088;
export const CHAT_ID_BYTES = 24;
export const CONFIRMATION_BYTES = 32;
export const CIPHER_NONCE_BYTES = 24;
export const CIPHER_TAG_BYTES = 16;
export const SEQUENCE_MAX = 0xffff_ffff;

/** A text is padded up to the next of these, so that its length says little about it. */
export const PADDED_BYTES = [64, 128, 256, 512, 1024, 2048, 4096] as const;
export const LENGTH_BYTES = 2;
export const TEXT_BYTES_MAX = 4096 - LENGTH_BYTES;

export const REQUEST_BYTES = HEAD_BYTES + NONCE_BYTES + KEM_PUBLIC_KEY_BYTES;
export const ACCEPT_BYTES = HEAD_BYTES + CHAT_ID_BYTES + KEM_CIPHERTEXT_BYTES + CONFIRMATION_BYTES;
export const MESSAGE_HEAD_BYTES = HEAD_BYTES + CHAT_ID_BYTES + 1 + 4 + CIPHER_NONCE_BYTES;

export const PAYMENTS_MAX = 16_384;
export const PAYMENTS_CHARACTERS_MAX = 1 << 25;
export const OWN_ADDRESSES_MAX = 4096;
/** Every payload travels on a payment of this many atoms. */
export const PAYMENT_ATOMS = 1;

export function messengerLimits(): string {
  const sealed = (padded: number): number => MESSAGE_HEAD_BYTES + padded + CIPHER_TAG_BYTES;
  return JSON.stringify({
    version: String(MESSENGER_VERSION),
    payment_atoms: String(PAYMENT_ATOMS),
    max_text_bytes: String(TEXT_BYTES_MAX),
    request_payload_bytes: String(REQUEST_BYTES),
    accept_payload_bytes: String(ACCEPT_BYTES),
    message_payload_bytes: PADDED_BYTES.map((padded) => String(sealed(padded))),
    max_payments: String(PAYMENTS_MAX),
    max_own_addresses: String(OWN_ADDRESSES_MAX),
  } satisfies MessengerLimits);
}
