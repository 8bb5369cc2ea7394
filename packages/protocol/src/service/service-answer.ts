/**
 * What a service signs when it answers: the whole exchange in length-prefixed fields, so that no
 * byte of one field can pass for a byte of another; `docs/protocol.md` 14.
 */
import { expectBytes, toHex } from '../base/bytes.ts';
import { CONTEXTS, contextBytes, LABELS } from '../base/labels.ts';
import { ID_BYTES, PUBLIC_KEY_BYTES } from '../base/sizes.ts';
import { SvcError } from '../base/svc-error.ts';
import { encodeUtf8 } from '../base/utf8.ts';
import { Writer } from '../base/writer.ts';
import { hashLabel } from '../kernel/hash-label.ts';
import type { KeyPair } from '../kernel/ml-dsa.ts';
import { mlDsa65 } from '../kernel/ml-dsa.ts';

export const ENVELOPE_VERSION = 1;
export const NONCE_BYTES = 32;
export const REQUEST_BODY_BYTES_MAX = 128 * 1024;
export const RESPONSE_BODY_BYTES_MAX = 1 << 20;
const TARGET_CHARACTERS_MAX = 8192;

export const HEADERS = {
  version: 'x-svc-envelope-version',
  identity: 'x-svc-node-identity',
  nonce: 'x-svc-request-nonce',
  height: 'x-svc-tip-height',
  signature: 'x-svc-signature',
} as const;

export type ServiceHeaders = Record<(typeof HEADERS)[keyof typeof HEADERS], string>;

const METHOD = /^[A-Z]{3,7}$/;
const TARGET = /^\/[\x21-\x7e]*$/;

export interface ServiceAnswer {
  readonly method: string;
  /** Path and query exactly as in the request line. */
  readonly target: string;
  readonly requestBody: Uint8Array;
  readonly status: number;
  readonly responseBody: Uint8Array;
  readonly nonce: Uint8Array;
  readonly chainId: Uint8Array;
  readonly finalizedHeight: bigint;
}

/** The identity of a service: what a client pins. */
export function serviceIdentityForPublicKey(publicKey: Uint8Array): string {
  return toHex(hashLabel(LABELS.service, expectBytes(publicKey, 'public_key', PUBLIC_KEY_BYTES)));
}

export function serviceResponseMessage(answer: ServiceAnswer): Uint8Array {
  checkAnswer(answer);
  const data = new Writer(1024 + answer.responseBody.length)
    .u8(ENVELOPE_VERSION)
    .counted(encodeUtf8(answer.method))
    .counted(encodeUtf8(answer.target))
    .counted(answer.requestBody)
    .u16(answer.status)
    .counted(answer.responseBody)
    .raw(answer.nonce)
    .raw(answer.chainId)
    .u64(answer.finalizedHeight)
    .finish();
  return hashLabel(LABELS.http, data);
}

/** Signs an answer and gives the headers it is sent with. */
export function signServiceResponse(keys: KeyPair, answer: ServiceAnswer): ServiceHeaders {
  const context = contextBytes(CONTEXTS.http);
  const signature = mlDsa65.sign(keys.secretKey, serviceResponseMessage(answer), { context });
  return {
    [HEADERS.version]: String(ENVELOPE_VERSION),
    [HEADERS.identity]: serviceIdentityForPublicKey(keys.publicKey),
    [HEADERS.nonce]: toHex(answer.nonce),
    [HEADERS.height]: String(answer.finalizedHeight),
    [HEADERS.signature]: toHex(signature),
  };
}

function checkAnswer(answer: ServiceAnswer): void {
  if (!METHOD.test(answer.method)) {
    throw new SvcError('bad_text', 'expected a method such as GET', { path: 'method' });
  }
  if (answer.target.length > TARGET_CHARACTERS_MAX || !TARGET.test(answer.target)) {
    throw new SvcError('bad_text', 'expected path and query in ASCII, from the first slash', {
      path: 'target',
    });
  }
  if (!Number.isInteger(answer.status) || answer.status < 100 || answer.status > 599) {
    throw new SvcError('out_of_range', 'expected 100 to 599', { path: 'status' });
  }
  expectBytes(answer.nonce, 'nonce', NONCE_BYTES);
  expectBytes(answer.chainId, 'chain_id', ID_BYTES);
}
