/** Signed answers, checked as a client checks them. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { verifyServiceResponse } from 'svc-wasm';
import { SvcError, toHex } from 'svc-wasm/base';
import { SERVICE_HEADERS } from 'svc-wasm/protocol';
import { errorOf, HttpNode, type Received } from './testing/http-node.ts';
import { useStoryNode } from './testing/story-node.ts';

const NONCE = '5f'.repeat(32);
const NAMES = Object.values(SERVICE_HEADERS);

interface Exchanged {
  readonly method: string;
  readonly target: string;
  readonly body?: string;
  readonly received: Received;
}

function verify(
  node: HttpNode,
  { method, target, body = '', received }: Exchanged,
  changes: object = {},
): string {
  const { identity, chain } = node.services;
  return verifyServiceResponse(
    JSON.stringify({
      identity: identity.identity,
      public_key_hex: toHex(identity.publicKey),
      method,
      target,
      request_body_hex: toHex(Buffer.from(body)),
      status: String(received.status),
      response_body_hex: toHex(received.bytes),
      nonce: NONCE,
      chain_id: chain.chainId,
      headers: Object.fromEntries(NAMES.map((name) => [name, received.headers[name]])),
      ...changes,
    }),
  );
}

suite('signed answers', () => {
  const use = useStoryNode();
  const signed = async (
    target: string,
    options: { method?: string; body?: string } = {},
  ): Promise<Exchanged> => {
    const headers = { 'x-svc-request-nonce': NONCE };
    const received = await use.node.send(target, { ...options, headers });
    const method = options.method ?? (options.body === undefined ? 'GET' : 'POST');
    return { method, target, ...options, received };
  };

  test('[AUTH-07] [HTTP-18] [VER-02] a nonce brings five headers and a signature over the exchange', async () => {
    const exchanged = await signed('/v1/chain/head');
    const { headers } = exchanged.received;
    assert.equal(headers['x-svc-envelope-version'], '1');
    assert.equal(headers['x-svc-node-identity'], use.story.services.identity.identity);
    assert.equal(headers['x-svc-request-nonce'], NONCE);
    assert.equal(headers['x-svc-tip-height'], String(use.story.services.chain.head.height));
    const verified = JSON.parse(verify(use.node, exchanged));
    assert.equal(verified.verified, true);
    assert.equal(JSON.parse(exchanged.received.text).cut.height, Number(verified.finalized_height));
    assert.equal(headers['cache-control'], 'no-store');
    const final = await signed('/v1/cuts/2/transactions');
    assert.equal(final.received.headers['cache-control'], 'no-store', 'even of what never changes');
  });

  test('[AUTH-07] any other method, target, body, status, nonce, chain or height does not verify', async () => {
    const target = '/v1/cuts?limit=2';
    const exchanged = await signed(target);
    verify(use.node, exchanged);
    const { received } = exchanged;
    const otherHeaders = {
      ...Object.fromEntries(NAMES.map((name) => [name, received.headers[name]])),
      'x-svc-tip-height': '1',
    };
    for (const changes of [
      { method: 'POST' },
      { target: '/v1/cuts?limit=3' },
      { target: '/v1/cuts' },
      { request_body_hex: '00' },
      { status: '404' },
      { response_body_hex: toHex(received.bytes.subarray(1)) },
      { nonce: '60'.repeat(32) },
      { chain_id: '00'.repeat(48) },
      { headers: otherHeaders },
    ]) {
      assert.throws(
        () => verify(use.node, exchanged, changes),
        SvcError,
        JSON.stringify(changes).slice(0, 80),
      );
    }
  });

  test('[AUTH-07] the body of a request is covered as it was sent, and refusals are signed too', async () => {
    const address = use.story.services.chain.text(1);
    const body = ` { "addresses" : ["${address}"] , "api_version":1 } `;
    verify(use.node, await signed('/v1/address/balances', { body }));
    const missing = await signed(`/v1/transactions/${'00'.repeat(48)}/status`);
    assert.equal(missing.received.status, 404);
    verify(use.node, missing);
    const wrong = await signed('/v1/address/balances', {
      body: '{"api_version":1,"addresses":[1]}',
    });
    assert.equal(wrong.received.status, 400);
    verify(use.node, wrong);
    const unknown = await signed('/nothing');
    assert.equal(unknown.received.status, 404);
    verify(use.node, unknown);
    verify(use.node, await signed('/v1/chain/head', { method: 'HEAD' }));
  });

  test('[AUTH-07] a nonce in capitals is echoed as it came and signed as the same bytes', async () => {
    const nonce = 'AB'.repeat(32);
    const received = await use.node.get('/v1/chain/head', { 'x-svc-request-nonce': nonce });
    assert.equal(received.headers['x-svc-request-nonce'], nonce);
    const exchanged = { method: 'GET', target: '/v1/chain/head', received };
    for (const own of [nonce, nonce.toLowerCase()])
      assert.equal(JSON.parse(verify(use.node, exchanged, { nonce: own })).verified, true);
  });

  test('[AUTH-07] without a nonce nothing is signed', async () => {
    const { headers } = await use.node.get('/v1/chain/head');
    for (const name of NAMES) assert.equal(headers[name], undefined, name);
  });

  test('a nonce is 64 hexadecimal characters', async () => {
    for (const nonce of [
      '',
      'ab',
      'AG'.repeat(32),
      'zz'.repeat(32),
      `${NONCE}00`,
      ` ${NONCE.slice(1)}`,
      `${NONCE}, ${NONCE}`,
    ]) {
      const received = await use.node.get('/v1/chain/head', { 'x-svc-request-nonce': nonce });
      assert.deepEqual([received.status, errorOf(received).code], [400, 'bad_nonce'], nonce);
      assert.equal(received.headers['x-svc-signature'], undefined);
    }
  });
});

test('503 is never signed', async (t) => {
  const node = await HttpNode.start(t);
  node.services.isSynced = false;
  const received = await node.post(
    '/v1/transactions',
    { api_version: 1, wire_hex: '00' },
    { 'x-svc-request-nonce': NONCE },
  );
  assert.equal(received.status, 503);
  assert.equal(received.headers['x-svc-signature'], undefined);
});
