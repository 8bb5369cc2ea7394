/** The balance read goes past the framework; nobody may notice, but for the time. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ROUTES } from 'svc-api';
import { ManualClock } from 'svc-base/testing';
import { errorOf, HttpNode } from './testing/http-node.ts';

suite('the fast lane', () => {
  test('a balance follows the chain: an answer is forgotten with the cut that touches it', async (t) => {
    const node = await HttpNode.start(t);
    const { chain } = node.services;
    const address = chain.text(1);
    const read = () => node.call(ROUTES.addressBalance, { params: { address } });
    const before = await read();
    assert.deepEqual(await read(), before, 'remembered');
    const wire = await chain.pay(0, chain.address(1), 5_000n);
    await chain.cut([chain.mine([wire])]);
    assert.deepEqual(await read(), { ...before, indexed_height: 1 });
    await chain.cut();
    const after = await read();
    assert.equal(BigInt(after.balance), BigInt(before.balance) + 5_000n);
    assert.deepEqual([after.indexed_height, after.utxos], [2, before.utxos + 1]);
  });

  test('both ways to write an address are answered, and both follow the chain', async (t) => {
    const node = await HttpNode.start(t);
    const { chain } = node.services;
    const texts = [chain.text(1), chain.text(1).toUpperCase()];
    const read = async (text: string) => {
      const { balance, indexed_height } = await node.call(ROUTES.addressBalance, {
        params: { address: text },
      });
      return [balance, indexed_height];
    };
    const [before] = await read(texts[0] as string);
    for (const text of [...texts, ...texts]) assert.deepEqual(await read(text), [before, 0]);
    const wire = await chain.pay(0, chain.address(1), 5_000n);
    await chain.cut([chain.mine([wire])]);
    await chain.cut();
    const after = String(BigInt(before as string) + 5_000n);
    for (const text of [...texts, ...texts]) assert.deepEqual(await read(text), [after, 2]);
  });

  test('it answers word for word as the framework does for a socket', async (t) => {
    const node = await HttpNode.start(t);
    const target = `/v1/address/${node.services.chain.text(3)}/balance`;
    const lane = await node.get(target);
    const framework = await node.server.read(target, '192.0.2.1');
    assert.equal(lane.text, framework.body);
    assert.deepEqual(JSON.parse(lane.text), JSON.parse(framework.body));
    const head = await node.send(target, { method: 'HEAD' });
    const ignored = ['date', 'connection', 'keep-alive'];
    const plain = (headers: object) =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => !ignored.includes(name)));
    assert.deepEqual(plain(head.headers), plain(lane.headers));
  });

  test('its gate is the same: rate, Host, Origin, query, body, nonce', async (t) => {
    const node = await HttpNode.start(t, { profile: 'public' }, { clock: new ManualClock() });
    const target = `/v1/address/${node.services.chain.text(3)}/balance`;
    const code = async (headers: Record<string, string>, path = target) => {
      const received = await node.get(path, headers);
      return [received.status, errorOf(received).code];
    };
    for (const state of ['read from the store', 'remembered']) {
      const refused = async (
        expected: readonly [number, string],
        headers: Record<string, string>,
        path?: string,
      ) => assert.deepEqual(await code(headers, path), expected, state);
      await refused([403, 'host_not_allowed'], { host: 'evil.example' });
      await refused([403, 'origin_not_allowed'], { origin: 'https://evil.example' });
      await refused([403, 'origin_not_allowed'], { 'sec-fetch-site': 'cross-site' });
      await refused([400, 'bad_nonce'], { 'x-svc-request-nonce': 'x' });
      await refused([400, 'unknown_field'], {}, `${target}?x=1`);
      await refused([400, 'bad_address'], {}, '/v1/address/dsvc1nothing/balance');
      await refused([400, 'bad_target'], {}, '/v1/address//balance');
      await refused([400, 'bad_target'], {}, target.replace('1', '%31'));
      await refused([400, 'bad_length'], {}, `/v1/address/${'q'.repeat(91)}/balance`);
      await refused([404, 'unknown_route'], {}, '/v1/address/x/y/balance');
      const headers = { 'content-length': '2' };
      const body = await node.send(target, { method: 'GET', body: '{}', headers });
      assert.deepEqual([body.status, errorOf(body).code], [400, 'bad_request'], state);
      assert.equal((await node.get(target)).status, 200, state);
    }
    for (let sent = 0; sent < 200; sent++) await node.get(target);
    assert.deepEqual(await code({}), [429, 'too_many_requests']);
  });

  test('a fault while it reads is 500 and the next read is answered', async (t) => {
    const node = await HttpNode.start(t);
    const { chain } = node.services;
    const reader = chain.reader.bind(chain);
    chain.reader = () => {
      throw new Error('no snapshot');
    };
    const target = `/v1/address/${chain.text(3)}/balance`;
    assert.equal((await node.get(target)).status, 500);
    chain.reader = reader;
    assert.equal((await node.get(target)).status, 200);
  });

  test('a fault while a remembered answer is signed is 500', async (t) => {
    const node = await HttpNode.start(t);
    const { chain, identity } = node.services;
    const target = `/v1/address/${chain.text(3)}/balance`;
    assert.equal((await node.get(target)).status, 200);
    const signing = t.mock.method(identity, 'sign');
    signing.mock.mockImplementationOnce(() => {
      throw new Error('no key');
    });
    const signed = () => node.get(target, { 'x-svc-request-nonce': '5a'.repeat(32) });
    assert.equal((await signed()).status, 500);
    assert.equal((await signed()).status, 200);
  });
});
