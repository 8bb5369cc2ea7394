import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWalletClient } from '../src/index.ts';

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
