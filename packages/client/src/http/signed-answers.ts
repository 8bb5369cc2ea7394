/**
 * Answers signed by a pinned identity. Every request carries a fresh nonce; an answer whose signature does
 * not cover this very exchange is refused. Answers that only ask to wait are not signed.
 */
import { serviceIdentityForPublicKey, verifyServiceResponse } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { ClientError } from '../client-error.ts';
import type { WireRequest } from '../routes/make-request.ts';
import type { Answer } from './exchange.ts';

/** Headers of a signed answer. */
export const SIGNED_HEADERS = {
  version: 'x-svc-envelope-version',
  identity: 'x-svc-node-identity',
  nonce: 'x-svc-request-nonce',
  height: 'x-svc-tip-height',
  signature: 'x-svc-signature',
} as const;
const NONCE_HEADER = SIGNED_HEADERS.nonce;
const HEADERS = Object.values(SIGNED_HEADERS);
const NONCE_BYTES = 32;

export interface PinnedService {
  readonly identity: string;
  readonly publicKeyHex: string;
  readonly chainId: string;
}

export function nonceHeaders(): Readonly<Record<string, string>> {
  return { [NONCE_HEADER]: toHex(crypto.getRandomValues(new Uint8Array(NONCE_BYTES))) };
}

/** Refuses a public key that does not hash to the identity. */
export function expectIdentity(
  publicKeyHex: string,
  publicKey: Uint8Array,
  identity: string,
): string {
  if (serviceIdentityForPublicKey(publicKey) === identity) return publicKeyHex;
  throw new ClientError('unverified', 'the server has another identity than the pinned one');
}

export function verifyAnswer(
  request: WireRequest,
  target: string,
  answer: Answer,
  nonce: Readonly<Record<string, string>>,
  pinned: PinnedService,
): void {
  if (answer.status === 429 || answer.status === 503) return;
  const headers = HEADERS.map((name): [string, string | null] => [name, answer.headers.get(name)]);
  if (headers.some(([, value]) => value === null)) {
    throw new ClientError('unverified', 'the answer is not signed', { status: answer.status });
  }
  const parts = {
    method: request.method,
    target,
    status: String(answer.status),
    response_body_hex: toHex(answer.body),
    headers: Object.fromEntries(headers),
    public_key_hex: pinned.publicKeyHex,
    identity: pinned.identity,
    nonce: nonce[NONCE_HEADER],
    chain_id: pinned.chainId,
  };
  const sent = toHex(request.bytes?.bytes ?? new TextEncoder().encode(request.body ?? ''));
  const fault = faultWith(parts, sent);
  if (fault === undefined) return;
  // A node signs what it has read, and refuses some requests before it has read their bodies.
  if (answer.status >= 400 && sent !== '' && faultWith(parts, '') === undefined) return;
  const reason = fault instanceof Error ? fault.message : 'it cannot be checked';
  throw new ClientError('unverified', `the answer's signature does not hold: ${reason}`, {
    cause: fault,
  });
}

/** Why the signature of an answer does not hold for a request with this body. */
function faultWith(parts: object, request_body_hex: string): unknown {
  try {
    verifyServiceResponse(JSON.stringify({ ...parts, request_body_hex }));
    return undefined;
  } catch (fault) {
    return fault;
  }
}
