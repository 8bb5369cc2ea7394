/** Transactions in bytes are taken and refused as those in a document are. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { suite, test } from 'node:test';
import { ROUTES } from 'svc-api';
import { ManualClock, until } from 'svc-base/testing';
import { verifyServiceResponse } from 'svc-wasm';
import { toHex, Writer } from 'svc-wasm/base';
import { SERVICE_HEADERS } from 'svc-wasm/protocol';
import { PROFILE_LIMITS } from '../../../serve/src/http/options.ts';
import { errorOf, HttpNode, type Received } from './testing/http-node.ts';

const { path: TARGET, bytes } = ROUTES.transactionsSubmit;
const TYPE = { 'content-type': bytes.media };
const NONCE = '5f'.repeat(32);

function bodyOf(wires: readonly Uint8Array[]): Uint8Array {
  const writer = new Writer();
  for (const wire of wires) writer.counted(wire);
  return writer.finish();
}

/** Pays from different outputs, and the first payment again with a signature that does not hold. */
async function paymentsOn({ chain }: HttpNode['services']) {
  const wires = [
    await chain.pay(0, chain.address(1), 5_000n),
    await chain.pay(1, chain.address(2), 6_000n),
  ] as const;
  const forged = wires[0].slice();
  forged[forged.length - 100] = (forged[forged.length - 100] ?? 0) ^ 1;
  return { wires, forged };
}

function codeOf(received: Received): readonly [number, string] {
  return [received.status, errorOf(received).code];
}

suite('transactions in bytes', () => {
  test('are answered word for word as the same in a document', async (t) => {
    const inBytes = await HttpNode.start(t);
    const inHex = await HttpNode.start(t);
    const { forged, wires } = await paymentsOn(inBytes.services);
    const all = [wires[0], forged, Uint8Array.of(1), wires[1]];
    const plain = ({ headers, status, text }: Received) => {
      const { date, connection, 'keep-alive': kept, ...others } = headers;
      return { status, text, others };
    };
    // The bytes of a transaction that the node has are not looked at again.
    for (const [result, ofForged] of [
      ['accepted', 'refused'],
      ['known', 'known'],
    ]) {
      const one = await inBytes.send(TARGET, { body: bodyOf(all), headers: TYPE });
      const wires_hex = all.map((wire) => toHex(wire));
      const other = await inHex.post(TARGET, { api_version: 1, wires_hex });
      assert.deepEqual(plain(one), plain(other));
      const { receipts } = JSON.parse(one.text) as { receipts: { result: string }[] };
      const results = receipts.map((receipt) => receipt.result);
      assert.deepEqual(results, [result, ofForged, 'refused', result]);
    }
    assert.equal(inBytes.services.mempool.size, 2);
  });

  test('of a body that is malformed nothing is taken', async (t) => {
    const node = await HttpNode.start(t);
    const { wires } = await paymentsOn(node.services);
    const [wire] = wires;
    const whole = bodyOf(wires);
    const refused = async (body: Uint8Array, code: string) => {
      const received = await node.send(TARGET, { body, headers: TYPE });
      assert.deepEqual(codeOf(received), [400, code]);
      assert.equal(errorOf(received).path, 'body');
    };
    await refused(new Uint8Array(0), 'too_few_items');
    await refused(bodyOf(Array.from({ length: 9 }, () => wire)), 'too_many_items');
    await refused(whole.subarray(0, -1), 'bad_length');
    await refused(Buffer.concat([whole, Uint8Array.of(0)]), 'bad_length');
    await refused(Buffer.concat([whole, Uint8Array.of(0x80)]), 'bad_length');
    await refused(Buffer.concat([whole, Uint8Array.of(0x81, 0, 7)]), 'bad_length');
    await refused(Buffer.concat([whole, new Uint8Array(5).fill(0xff)]), 'bad_length');
    assert.equal(node.services.mempool.size, 0);
  });

  test('have the limits of a document: length, coding, type, query, Host, Origin, nonce', async (t) => {
    const node = await HttpNode.start(t);
    const { wires } = await paymentsOn(node.services);
    const code = async (
      headers: Record<string, string>,
      target: string = TARGET,
      body = bodyOf(wires),
    ) => codeOf(await node.send(target, { body, headers: { ...TYPE, ...headers } }));
    const long = new Uint8Array(128 * 1024 + 1);
    assert.deepEqual(await code({}, TARGET, long), [413, 'body_too_large']);
    const chunked = { 'transfer-encoding': 'chunked' };
    assert.deepEqual(await code(chunked, TARGET, long), [413, 'body_too_large']);
    const media = [415, 'unsupported_media_type'];
    assert.deepEqual(await code({ 'content-encoding': 'gzip' }), media);
    assert.deepEqual(await code({ 'content-type': `${bytes.media}; version=2` }), media);
    assert.deepEqual(await code({}, '/v1/transactions'), media);
    assert.deepEqual(await code({}, `${TARGET}?x=1`), [400, 'unknown_field']);
    assert.deepEqual(await code({ host: 'evil.example' }), [403, 'host_not_allowed']);
    const origin = { origin: 'https://evil.example' };
    assert.deepEqual(await code(origin), [403, 'origin_not_allowed']);
    assert.deepEqual(await code({ 'x-svc-request-nonce': 'x' }), [400, 'bad_nonce']);
    assert.equal(node.services.mempool.size, 0);
    const received = await node.send(TARGET, {
      body: bodyOf(wires),
      headers: { ...TYPE, ...chunked },
    });
    assert.equal(received.status, 200, received.text);
    assert.equal(node.services.mempool.size, 2);
  });

  test('leave the document checked against its schema, however its content type is spelled', async (t) => {
    const node = await HttpNode.start(t);
    const body = '{"api_version":1,"wires_hex":5}';
    for (const type of [
      'application/json',
      'Application/JSON;charset=UTF-8',
      'application/json ;\tcharset="utf-8"',
    ]) {
      const received = await node.send(TARGET, { body, headers: { 'content-type': type } });
      assert.deepEqual(codeOf(received), [400, 'bad_type'], type);
    }
  });

  test('spend the budgets of requests and of submissions', async (t) => {
    const clock = new ManualClock();
    const node = await HttpNode.start(t, { profile: 'public' }, { clock });
    const body = bodyOf(Array.from({ length: 8 }, () => Uint8Array.of(1)));
    const codes = new Set<string>();
    let statuses = 0;
    for (let sent = 0; sent < 200; sent++) {
      const received = await node.send(TARGET, { body, headers: TYPE });
      if (received.status === 429) {
        statuses++;
        break;
      }
      const { receipts } = JSON.parse(received.text) as {
        receipts: { refusal: { error: { code: string } } }[];
      };
      for (const { refusal } of receipts) codes.add(refusal.error.code);
    }
    assert.ok(codes.has('too_many_requests'), 'submissions have a budget of their own');
    assert.equal(statuses, 1, 'and each of them counts for the request');
    assert.ok(PROFILE_LIMITS.public.submissions.burst < 8 * 200);
  });

  test('a signed answer covers the bytes', async (t) => {
    const node = await HttpNode.start(t);
    const { wires } = await paymentsOn(node.services);
    const body = bodyOf(wires);
    const headers = { ...TYPE, 'x-svc-request-nonce': NONCE };
    const received = await node.send(TARGET, { body, headers });
    const { chain, identity } = node.services;
    const signed = {
      identity: identity.identity,
      public_key_hex: toHex(identity.publicKey),
      method: 'POST',
      target: TARGET,
      request_body_hex: toHex(body),
      status: '200',
      response_body_hex: toHex(received.bytes),
      nonce: NONCE,
      chain_id: chain.chainId,
      headers: Object.fromEntries(
        Object.values(SERVICE_HEADERS).map((name) => [name, received.headers[name]]),
      ),
    };
    assert.equal(JSON.parse(verifyServiceResponse(JSON.stringify(signed))).verified, true);
  });

  test('a client that expects 100-continue is told to go on', async (t) => {
    const node = await HttpNode.start(t);
    const { wires } = await paymentsOn(node.services);
    const body = bodyOf(wires);
    const asked = request({
      host: '127.0.0.1',
      port: node.port,
      method: 'POST',
      path: TARGET,
      agent: false,
      headers: { ...TYPE, 'content-length': body.length, expect: '100-continue' },
    });
    asked.flushHeaders();
    await once(asked, 'continue');
    asked.end(body);
    const [response] = await once(asked, 'response');
    assert.equal(response.statusCode, 200);
    response.resume();
  });

  test('a client that leaves in the middle of its body leaves nothing behind', async (t) => {
    const node = await HttpNode.start(t);
    const { wires } = await paymentsOn(node.services);
    const body = bodyOf(wires);
    const head = `POST ${TARGET} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: ${bytes.media}\r\ncontent-length: ${body.length}\r\n\r\n`;
    const socket = connect(node.port, '127.0.0.1');
    const count = () =>
      new Promise<number>((resolve) => {
        node.server.server.getConnections((_, connections) => resolve(connections));
      });
    socket.write(Buffer.concat([Buffer.from(head), body.subarray(0, 3_000)]));
    await until(async () => (await count()) === 1, 'the connection');
    socket.resetAndDestroy();
    await until(async () => (await count()) === 0, 'its end');
    assert.equal(node.services.mempool.size, 0);
    const received = await node.send(TARGET, { body, headers: TYPE });
    assert.equal(received.status, 200);
  });

  test('a fault of the node is 500, and the next request is answered', async (t) => {
    const node = await HttpNode.start(t);
    const { wires } = await paymentsOn(node.services);
    const body = bodyOf(wires);
    const submitting = t.mock.method(node.services.mempool, 'submit');
    submitting.mock.mockImplementationOnce(() => {
      throw new Error('no pool');
    });
    assert.equal((await node.send(TARGET, { body, headers: TYPE })).status, 500);
    assert.equal((await node.send(TARGET, { body, headers: TYPE })).status, 200);
  });
});
