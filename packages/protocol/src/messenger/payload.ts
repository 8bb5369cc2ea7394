/**
 * The three payloads of the messenger as bytes; `docs/protocol.md` 15.2. Nothing is decrypted here.
 */
import { equalBytes, expectBytes } from '../base/bytes.ts';
import { Reader } from '../base/reader.ts';
import { isRefusal, SvcError } from '../base/svc-error.ts';
import { encodeUtf8 } from '../base/utf8.ts';
import { Writer } from '../base/writer.ts';
import {
  ACCEPT_BYTES,
  CHAT_ID_BYTES,
  CIPHER_NONCE_BYTES,
  CIPHER_TAG_BYTES,
  CONFIRMATION_BYTES,
  HEAD_BYTES,
  KEM_CIPHERTEXT_BYTES,
  KEM_PUBLIC_KEY_BYTES,
  MAGIC_BYTES,
  MESSAGE_HEAD_BYTES,
  MESSENGER_VERSION,
  NONCE_BYTES,
  PADDED_BYTES,
  REQUEST_BYTES,
} from './limits.ts';

const MAGIC = encodeUtf8('SVCM');
const KINDS = { request: 1, accept: 2, message: 3 } as const;
const PATH = 'payload';

/** Whose message it is: of the one who asked for the chat, or of the one who accepted. */
export const DIRECTIONS = { fromRequester: 0, fromAccepter: 1 } as const;
export type Direction = (typeof DIRECTIONS)[keyof typeof DIRECTIONS];

export interface RequestPayload {
  readonly kind: 'request';
  readonly nonce: Uint8Array;
  readonly publicKey: Uint8Array;
}

export interface AcceptPayload {
  readonly kind: 'accept';
  readonly chatId: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly confirmation: Uint8Array;
}

export interface MessageHead {
  readonly chatId: Uint8Array;
  readonly direction: Direction;
  readonly sequence: number;
  readonly nonce: Uint8Array;
}

export interface MessagePayload extends MessageHead {
  readonly kind: 'message';
  readonly sealed: Uint8Array;
}

export type MessengerPayload = RequestPayload | AcceptPayload | MessagePayload;

function head(kind: keyof typeof KINDS): Writer {
  return new Writer().raw(MAGIC).u8(MESSENGER_VERSION).u8(KINDS[kind]);
}

export function encodeRequest(nonce: Uint8Array, publicKey: Uint8Array): Uint8Array {
  return head('request').raw(nonce).raw(publicKey).finish();
}

export function encodeAccept(
  chatId: Uint8Array,
  ciphertext: Uint8Array,
  confirmation: Uint8Array,
): Uint8Array {
  return head('accept').raw(chatId).raw(ciphertext).raw(confirmation).finish();
}

/** The part of a message payload before the sealed text, which is authenticated with it. */
export function encodeMessageHead({ chatId, direction, sequence, nonce }: MessageHead): Uint8Array {
  return head('message').raw(chatId).u8(direction).u32(sequence).raw(nonce).finish();
}

export function isMessengerPayload(payload: Uint8Array): boolean {
  try {
    decodeMessengerPayload(payload);
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

export function decodeMessengerPayload(value: Uint8Array): MessengerPayload {
  const payload = expectBytes(value, PATH);
  if (payload.length < HEAD_BYTES || !equalBytes(payload.subarray(0, MAGIC_BYTES), MAGIC)) {
    throw new SvcError('bad_payload', 'does not begin like a messenger payload', { path: PATH });
  }
  const reader = new Reader(payload, PATH);
  reader.raw(MAGIC_BYTES);
  const version = reader.u8();
  if (version !== MESSENGER_VERSION) {
    const found = `expected ${MESSENGER_VERSION}, found ${version}`;
    throw new SvcError('unsupported_version', found, { path: PATH });
  }
  const kind = reader.u8();
  if (kind === KINDS.request) return readRequest(reader, payload.length);
  if (kind === KINDS.accept) return readAccept(reader, payload.length);
  if (kind === KINDS.message) return readMessage(reader, payload.length);
  throw new SvcError('bad_payload', `expected kind 1, 2 or 3, found ${kind}`, { path: PATH });
}

function expectLength(found: number, expected: number): void {
  if (found === expected) return;
  throw new SvcError('bad_payload', `expected ${expected} bytes, found ${found}`, { path: PATH });
}

function readRequest(reader: Reader, length: number): RequestPayload {
  expectLength(length, REQUEST_BYTES);
  const nonce = reader.raw(NONCE_BYTES);
  return { kind: 'request', nonce, publicKey: reader.raw(KEM_PUBLIC_KEY_BYTES) };
}

function readAccept(reader: Reader, length: number): AcceptPayload {
  expectLength(length, ACCEPT_BYTES);
  const chatId = reader.raw(CHAT_ID_BYTES);
  const ciphertext = reader.raw(KEM_CIPHERTEXT_BYTES);
  return { kind: 'accept', chatId, ciphertext, confirmation: reader.raw(CONFIRMATION_BYTES) };
}

function readMessage(reader: Reader, length: number): MessagePayload {
  const padded = length - MESSAGE_HEAD_BYTES - CIPHER_TAG_BYTES;
  if (!PADDED_BYTES.some((step) => step === padded)) {
    throw new SvcError('bad_payload', 'no message has this length', { path: PATH });
  }
  const chatId = reader.raw(CHAT_ID_BYTES);
  const direction = reader.u8();
  if (direction !== DIRECTIONS.fromRequester && direction !== DIRECTIONS.fromAccepter) {
    throw new SvcError('bad_payload', `expected direction 0 or 1, found ${direction}`, {
      path: PATH,
    });
  }
  const sequence = reader.u32();
  const nonce = reader.raw(CIPHER_NONCE_BYTES);
  const sealed = reader.raw(padded + CIPHER_TAG_BYTES);
  return { kind: 'message', chatId, direction, sequence, nonce, sealed };
}
