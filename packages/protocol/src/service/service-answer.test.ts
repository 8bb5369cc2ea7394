import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha384 as sha384Reference } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { toHex } from '../base/bytes.ts';
import { SvcError } from '../base/svc-error.ts';
import { encodeUtf8 } from '../base/utf8.ts';
import { init } from '../entry/node.ts';
import { mlDsa65 } from '../kernel/ml-dsa.ts';
import type { ServiceAnswer } from './service-answer.ts';
import {
  HEADERS,
  serviceIdentityForPublicKey,
  serviceResponseMessage,
  signServiceResponse,
} from './service-answer.ts';
import { verifyServiceResponse } from './verify-service-response.ts';

await init();

const keys = mlDsa65.keygen(new Uint8Array(32).fill(4));
const otherKeys = mlDsa65.keygen(new Uint8Array(32).fill(5));

const answer: ServiceAnswer = {
  method: 'POST',
  target: '/v1/address/balances?x=1',
  requestBody: encodeUtf8('{"api_version":1}'),
  status: 200,
  responseBody: encodeUtf8('{"balance":"7"}'),
  nonce: new Uint8Array(32).fill(6),
  chainId: new Uint8Array(48).fill(7),
  finalizedHeight: 12345n,
};

type Document = Record<string, unknown>;

function exchange(of: ServiceAnswer = answer, headers = signServiceResponse(keys, of)): Document {
  return {
    method: of.method,
    target: of.target,
    request_body_hex: toHex(of.requestBody),
    status: String(of.status),
    response_body_hex: toHex(of.responseBody),
    headers,
    public_key_hex: toHex(keys.publicKey),
    identity: serviceIdentityForPublicKey(keys.publicKey),
    nonce: toHex(of.nonce),
    chain_id: toHex(of.chainId),
  };
}

function refused(code: string, document: Document, name: string): void {
  assert.throws(
    () => verifyServiceResponse(JSON.stringify(document)),
    (error) => {
      assert.ok(error instanceof SvcError, `${name}: ${String(error)}`);
      assert.equal(error.code, code, `${name}: ${error.message}`);
      return true;
    },
    name,
  );
}

test('[WASM-11] a signed answer is verified against the pinned identity', () => {
  assert.deepEqual(JSON.parse(verifyServiceResponse(JSON.stringify(exchange()))), {
    verified: true,
    identity: serviceIdentityForPublicKey(keys.publicKey),
    finalized_height: '12345',
  });
});

test('[WASM-11] an identity is the labelled hash of the public key', () => {
  const labelled = Buffer.concat([Buffer.from('SVC_SERVICE_V1'), keys.publicKey]);
  assert.equal(serviceIdentityForPublicKey(keys.publicKey), toHex(sha384Reference(labelled)));
  assert.throws(() => serviceIdentityForPublicKey(new Uint8Array(10)), SvcError);
});

test('[WASM-11] every field of the exchange is covered: any change is refused', () => {
  const good = exchange();
  const headers = good['headers'] as Document;
  const table: readonly (readonly [string, Document])[] = [
    ['bad_signature', { method: 'GET' }],
    ['bad_signature', { target: '/v1/address/balances?x=2' }],
    ['bad_signature', { request_body_hex: '' }],
    ['bad_signature', { status: '201' }],
    ['bad_signature', { response_body_hex: toHex(encodeUtf8('{"balance":"8"}')) }],
    ['bad_signature', { response_body_hex: '' }],
    ['bad_signature', { chain_id: '00'.repeat(48) }],
    ['bad_signature', { headers: { ...headers, [HEADERS.height]: '12346' } }],
    ['wrong_request', { nonce: '00'.repeat(32) }],
    ['wrong_request', { headers: { ...headers, [HEADERS.nonce]: '00'.repeat(32) } }],
    [
      'bad_signature',
      { nonce: '00'.repeat(32), headers: { ...headers, [HEADERS.nonce]: '00'.repeat(32) } },
    ],
    ['wrong_identity', { identity: '00'.repeat(48) }],
    ['wrong_identity', { public_key_hex: toHex(otherKeys.publicKey) }],
    ['wrong_identity', { headers: { ...headers, [HEADERS.identity]: '00'.repeat(48) } }],
    ['unsupported_version', { headers: { ...headers, [HEADERS.version]: '2' } }],
    ['bad_signature', { headers: { ...headers, [HEADERS.signature]: '00'.repeat(3309) } }],
  ];
  for (const [code, changes] of table) {
    refused(code, { ...good, ...changes }, JSON.stringify(changes).slice(0, 100));
  }
});

test('[WASM-11] another service cannot answer in the place of the pinned one', () => {
  const headers = signServiceResponse(otherKeys, answer);
  refused('wrong_identity', { ...exchange(), headers }, 'its own headers');
  const claimed = { ...headers, [HEADERS.identity]: exchange()['identity'] };
  refused('bad_signature', { ...exchange(), headers: claimed }, 'the pinned identity claimed');
});

test('no bytes can be moved from one field to its neighbour', () => {
  const message = toHex(serviceResponseMessage(answer));
  const moved: readonly ServiceAnswer[] = [
    { ...answer, method: 'POS', target: '/T/v1/address/balances?x=1' },
    {
      ...answer,
      target: '/v1/address/balances?x=1{',
      requestBody: answer.requestBody.slice(1),
    },
    {
      ...answer,
      requestBody: Uint8Array.of(...answer.requestBody, ...answer.responseBody),
      responseBody: new Uint8Array(0),
    },
  ];
  for (const other of moved) assert.notEqual(toHex(serviceResponseMessage(other)), message);
  const rest = new Uint8Array(198).fill(97);
  const first = { ...answer, requestBody: new Uint8Array(0), status: 200 };
  const second = { ...answer, requestBody: Uint8Array.of(200, 0), status: 0x01c8 };
  assert.notDeepEqual(
    serviceResponseMessage({ ...first, responseBody: Uint8Array.of(0xc6, 1, ...rest) }),
    serviceResponseMessage({ ...second, responseBody: rest }),
  );
});

test('answers of every size within the limits are signed and verified', () => {
  for (const length of [0, 1, 127, 128, 70_000, 1 << 20]) {
    const sized = { ...answer, responseBody: new Uint8Array(length).fill(97) };
    verifyServiceResponse(JSON.stringify(exchange(sized)));
  }
  const over = { ...exchange(), response_body_hex: '00'.repeat((1 << 20) + 1) };
  refused('bad_length', over, 'over the limit');
  refused('bad_json', { ...exchange(), target: 'x'.repeat(1 << 22) }, 'over the whole limit');
});

test('malformed exchanges are refused', () => {
  const good = exchange();
  const headers = good['headers'] as Document;
  const table: readonly (readonly [string, Document])[] = [
    ['bad_text', { method: 'get' }],
    ['bad_text', { method: 'GET POST' }],
    ['bad_text', { target: 'v1/node' }],
    ['bad_text', { target: '' }],
    ['bad_text', { target: '/v1 x' }],
    ['bad_text', { target: '/v1/\u00e9' }],
    ['out_of_range', { status: '99' }],
    ['bad_type', { status: 200 }],
    ['bad_hex', { nonce: '00' }],
    ['bad_hex', { chain_id: 'AB'.repeat(48) }],
    ['bad_type', { headers: [] }],
    ['unknown_field', { headers: { ...headers, server: 'x' } }],
    ['missing_field', { headers: {} }],
    ['bad_integer', { headers: { ...headers, [HEADERS.height]: '012' } }],
    ['bad_hex', { headers: { ...headers, [HEADERS.signature]: '00' } }],
    ['unknown_field', { extra: 1 }],
  ];
  for (const [code, changes] of table) {
    refused(code, { ...good, ...changes }, JSON.stringify(changes).slice(0, 100));
  }
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.throws(() => verifyServiceResponse(text), SvcError);
    }),
  );
});
