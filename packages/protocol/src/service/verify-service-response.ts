/**
 * Checks the signed answer of a service against the identity, nonce and chain that the client
 * itself holds: nothing the answer says about these is trusted.
 */
import { equalBytes, fromHex, toHex } from '../base/bytes.ts';
import { Fields, U64_MAX } from '../base/fields.ts';
import { parseJson } from '../base/json.ts';
import { CONTEXTS, contextBytes } from '../base/labels.ts';
import { ID_BYTES, PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from '../base/sizes.ts';
import { SvcError } from '../base/svc-error.ts';
import { mlDsa65 } from '../kernel/ml-dsa.ts';
import type { ServiceAnswer, ServiceHeaders } from './service-answer.ts';
import {
  ENVELOPE_VERSION,
  HEADERS,
  NONCE_BYTES,
  REQUEST_BODY_BYTES_MAX,
  RESPONSE_BODY_BYTES_MAX,
  serviceIdentityForPublicKey,
  serviceResponseMessage,
} from './service-answer.ts';

const JSON_CHARACTERS_MAX = 1 << 22;
const FIELDS = [
  'method',
  'target',
  'request_body_hex',
  'status',
  'response_body_hex',
  'headers',
  'public_key_hex',
  'identity',
  'nonce',
  'chain_id',
];

/** What `verifyServiceResponse` takes: the exchange as it was, and what the client itself holds. */
export interface ServiceExchange {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  readonly request_body_hex: string;
  readonly status: string;
  readonly response_body_hex: string;
  /** The five `x-svc-` headers of the answer. */
  readonly headers: ServiceHeaders;
  readonly public_key_hex: string;
  readonly identity: string;
  readonly nonce: string;
  readonly chain_id: string;
}

/** What `verifyServiceResponse` returns. */
export interface ServiceVerification {
  readonly verified: true;
  readonly identity: string;
  readonly finalized_height: string;
}

/**
 * Takes `{method, target, request_body_hex, status, response_body_hex, headers, public_key_hex,
 * identity, nonce, chain_id}`: the exchange as it was, the five `x-svc-` headers of the answer, the
 * service's public key, and the identity, nonce and chain id of the client's own. Answers
 * `{verified: true, identity, finalized_height}`; whatever does not hold is an error.
 */
export function verifyServiceResponse(responseJson: string): string {
  const document = parseJson(responseJson, 'response', JSON_CHARACTERS_MAX);
  const fields = new Fields(document, 'response', FIELDS);
  const headers = fields.fields('headers', Object.values(HEADERS));
  expectVersion(headers);
  const publicKey = fields.hex('public_key_hex', PUBLIC_KEY_BYTES);
  const identity = readIdentity(fields, headers, publicKey);
  const answer = readAnswer(fields, headers);
  const signature = headers.hex(HEADERS.signature, SIGNATURE_BYTES);
  const context = contextBytes(CONTEXTS.http);
  if (!mlDsa65.verify(publicKey, serviceResponseMessage(answer), signature, { context })) {
    throw new SvcError('bad_signature', 'does not fit the exchange', {
      path: headers.at(HEADERS.signature),
    });
  }
  const finalized_height = String(answer.finalizedHeight);
  return JSON.stringify({
    verified: true,
    identity,
    finalized_height,
  } satisfies ServiceVerification);
}

function expectVersion(headers: Fields): void {
  const version = headers.string(HEADERS.version);
  if (version === String(ENVELOPE_VERSION)) return;
  throw new SvcError('unsupported_version', `expected ${ENVELOPE_VERSION}`, {
    path: headers.at(HEADERS.version),
  });
}

function readIdentity(fields: Fields, headers: Fields, publicKey: Uint8Array): string {
  const pinned = fields.hex('identity', ID_BYTES);
  if (serviceIdentityForPublicKey(publicKey) !== toHex(pinned)) {
    throw new SvcError('wrong_identity', 'the public key has another identity than the pinned', {
      path: fields.at('public_key_hex'),
    });
  }
  if (!equalBytes(headers.hex(HEADERS.identity, ID_BYTES), pinned)) {
    throw new SvcError('wrong_identity', 'another service than the pinned one answered', {
      path: headers.at(HEADERS.identity),
    });
  }
  return toHex(pinned);
}

function readAnswer(fields: Fields, headers: Fields): ServiceAnswer {
  const nonce = readNonce(fields, 'nonce');
  if (!equalBytes(readNonce(headers, HEADERS.nonce), nonce)) {
    throw new SvcError('wrong_request', 'answers a request with another nonce', {
      path: headers.at(HEADERS.nonce),
    });
  }
  return {
    method: fields.string('method'),
    target: fields.string('target', 1 << 16),
    requestBody: readBody(fields, 'request_body_hex', REQUEST_BODY_BYTES_MAX),
    status: Number(fields.decimal('status', { min: 100n, max: 599n })),
    responseBody: readBody(fields, 'response_body_hex', RESPONSE_BODY_BYTES_MAX),
    nonce,
    chainId: fields.hex('chain_id', ID_BYTES),
    finalizedHeight: headers.decimal(HEADERS.height, { max: U64_MAX }),
  };
}

/** Clients write the nonce in either case, and the service echoes what they wrote. */
function readNonce(fields: Fields, name: string): Uint8Array {
  return fromHex(fields.string(name).toLowerCase(), fields.at(name), NONCE_BYTES);
}

function readBody(fields: Fields, name: string, bytesMax: number): Uint8Array {
  return fromHex(fields.string(name, 2 * bytesMax), fields.at(name));
}
