import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWalletClient, WalletRpcError } from '../src/index.ts';

const NOTHING_NEW =
  '{"jsonrpc":"2.0","id":1,"result":{"indexed_height":0,"payments":[],"more":false}}';

test('a loop that can open no socket ends with the reason, and not the process', async () => {
  const client = createWalletClient({
    url: 'http://127.0.0.1:28703',
    token: 'token',
    fetch: async () => new Response(NOTHING_NEW),
    openSocket: () => {
      throw new TypeError('no sockets here');
    },
  });
  const following = client.followDeposits({ since: 0, onPayment: () => {}, onHeight: () => {} });
  await assert.rejects(following, /no sockets here/);
});

test('a refusal that does not look at names gives up no payment that an earlier call may have made', async () => {
  const retryOf = async (status: number, isPayment: boolean): Promise<unknown[]> => {
    const code = status === 401 ? 'unauthorized' : 'other';
    const client = createWalletClient({
      url: 'http://127.0.0.1:28703',
      token: 'token',
      fetch: async () => new Response(JSON.stringify({ error: { code, message: '' } }), { status }),
    });
    const called: Promise<unknown> = isPayment
      ? client.call('send', { to: 'dsvc1', amount: '1', request_id: 'w-1' })
      : client.call('request', { request_id: 'w-1' });
    const error = await called.catch((thrown: unknown) => thrown);
    assert.ok(error instanceof WalletRpcError);
    return [error.retry, error.kind];
  };
  assert.deepEqual(await retryOf(401, true), ['same_request_id', 'unauthorized']);
  assert.deepEqual(await retryOf(401, false), ['never', 'unauthorized']);
  for (const status of [403, 404, 429, 503])
    assert.deepEqual(await retryOf(status, true), ['same_request_id', 'other'], `${status}`);
  for (const status of [400, 413, 415])
    assert.deepEqual(await retryOf(status, true), ['never', 'other'], `${status}`);
});
