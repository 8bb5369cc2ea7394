import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { openState } from '../state/open-state.ts';
import type { NewOutput } from '../state/outputs.ts';
import { history } from './incoming.ts';
import type { WalletPorts } from './method.ts';
import { pending } from './wallet.ts';

const IDENTITY = { fingerprint: '00112233aabbccdd', network: 'development' };

/** A wallet with payments that came in and went out, as many of each at each height as is told. */
function walletWith(t: TestContext, heights: readonly (readonly [number, number])[]): WalletPorts {
  const state = openState(join(temporaryDirectory(t), 'wallet'), IDENTITY, 'test');
  t.after(() => state.close());
  let number = 0;
  const nextId = (): string => (++number).toString(16).padStart(96, '0');
  const address = state.addresses.add(0, 0, 'address', true);
  state.addresses.issue(0, null, 1);
  heights.forEach(([received, sent], height) => {
    for (let i = 0; i < received; i++) {
      const output: NewOutput = {
        ...{ transactionId: nextId(), outputIndex: 0, addressId: address, amount: 1n, height },
        ...{ source: 'regular', payloadText: null, payloadHex: null, senders: 'not_kept' },
        isMessenger: false,
      };
      state.outputs.receive(output, 1);
    }
    for (let i = 0; i < sent; i++) {
      const asked = { method: 'send', params: '{}', isAutomatic: false, createdAtMillis: 1 };
      const request = state.journal.addRequest({ requestId: nextId(), ...asked }, 'built');
      const id = state.journal.addTransaction({
        ...{ request, kind: 'payment', transactionId: nextId(), wire: null, validUntil: 10 },
        ...{ amount: 1n, fee: 1n, recipients: '[]', createdAtMillis: 1 },
      });
      state.journal.settle(id, { outcome: 'finalized', height });
    }
  });
  return { state } as unknown as WalletPorts;
}

type Params = Parameters<typeof history>[1];

async function pagesOf(wallet: WalletPorts, limit: number) {
  const pages = [];
  let given: Params = { limit };
  for (;;) {
    const page = await history(wallet, given, undefined as never);
    pages.push(page);
    if (page.next_cursor === undefined) return pages;
    given = { limit, cursor: page.next_cursor };
  }
}

test('pages have no more entries than the limit, and together every entry once', async (t) => {
  const heights: [number, number][] = [
    [1, 0],
    [6, 0],
    [0, 5],
    [3, 4],
    [1, 1],
  ];
  const wallet = walletWith(t, heights);
  const [whole] = await pagesOf(wallet, 1_000);
  assert.equal(whole?.entries.length, 21);
  const order = whole?.entries.map(({ height }) => height);
  assert.deepEqual(
    order,
    order?.toSorted((a, b) => b - a),
  );
  for (const limit of [1, 2, 3, 5, 20]) {
    const pages = await pagesOf(wallet, limit);
    for (const { entries } of pages) assert.ok(entries.length <= limit, `${entries.length}`);
    assert.deepEqual(
      pages.flatMap(({ entries }) => entries),
      whole?.entries,
    );
  }
});

test('a page that ends with a whole height can be gone on with by that height', async (t) => {
  const wallet = walletWith(t, [
    [1, 1],
    [2, 1],
    [0, 1],
  ]);
  const ask = async (given: Params) => await history(wallet, given, undefined as never);
  const first = await ask({ limit: 3 });
  assert.deepEqual([first.entries.length, first.next_before], [1, 2]);
  const second = await ask({ limit: 3, before_height: 2 });
  assert.deepEqual([second.entries.length, second.next_before], [3, 1]);
  const last = await ask({ limit: 3, before_height: 1 });
  assert.deepEqual(
    [last.entries.length, last.next_before, last.next_cursor],
    [2, undefined, undefined],
  );
  const within = await ask({ limit: 2, before_height: 2 });
  assert.deepEqual([within.entries.length, within.next_before], [2, undefined]);
  await assert.rejects(
    async () => await ask({ before_height: 2, cursor: '1-r-1' }),
    /behind a cursor or before a height/,
  );
});

test('open transactions are listed page by page, each once', async (t) => {
  const { state } = walletWith(t, [[1, 2]]);
  const names = ['aa', 'bb', 'cc', 'dd', 'ee'];
  for (const name of names) {
    const asked = { method: 'send', params: '{}', isAutomatic: false, createdAtMillis: 1 };
    const request = state.journal.addRequest({ requestId: name, ...asked }, 'built');
    state.journal.addTransaction({
      ...{ request, kind: 'payment', transactionId: name.repeat(48), wire: null, validUntil: 10 },
      ...{ amount: 1n, fee: 1n, recipients: '[]', createdAtMillis: 1 },
    });
  }
  const seen: string[] = [];
  for (let cursor: string | undefined = '0'; cursor !== undefined; ) {
    const given: { limit: number; cursor: string } = { limit: 2, cursor };
    const page = await pending({ state } as WalletPorts, given, undefined as never);
    assert.ok(page.transactions.length <= 2);
    seen.push(...page.transactions.map(({ request_id }) => request_id));
    cursor = page.next_cursor;
  }
  assert.deepEqual(seen, names);
});
