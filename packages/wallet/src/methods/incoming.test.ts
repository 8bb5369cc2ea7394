import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { MethodParams, MethodResult } from 'svc-api/rpc';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { openState } from '../state/open-state.ts';
import { received } from './incoming.ts';
import { COMMAND_LINE, type WalletPorts } from './method.ts';

const IDENTITY = { fingerprint: '00112233aabbccdd', network: 'development' };

await init();

/** A wallet with so many payments at each height, and how it answers. */
function paid(t: TestContext, counts: Readonly<Record<number, number>>) {
  const state = openState(join(temporaryDirectory(t), 'wallet'), IDENTITY, 'test');
  t.after(() => state.close());
  const addressId = state.addresses.add(0, 0, 'a', true);
  state.addresses.issue(0, null, 0);
  for (const [height, count] of Object.entries(counts))
    for (let at = 0; at < count; at++)
      state.outputs.receive(
        {
          ...{ transactionId: `${height}-${at}`, outputIndex: 0, addressId, amount: 1n },
          ...{ source: 'regular', height: Number(height), payloadText: null, payloadHex: null },
          ...{ senders: [], isMessenger: false },
        },
        1,
      );
  const scanner = { indexedHeight: 9 };
  const wallet = { state, scanner } as unknown as WalletPorts;
  const ask = (params: MethodParams<'received'>) =>
    received(wallet, params, COMMAND_LINE) as MethodResult<'received'>;
  return { ask, scanner, state };
}

function named({ payments }: MethodResult<'received'>): string[] {
  return payments.map(({ transaction }) => transaction);
}

const ALL = ['3-0', '5-0', '5-1', '5-2', '5-3', '5-4', '7-0'];

test('with a cursor no answer has more payments than its limit, and the pages have all of them once', (t) => {
  const { ask } = paid(t, { 3: 1, 5: 5, 7: 1 });
  for (const limit of [1, 2, 3, 6, 7, 8]) {
    const seen: string[] = [];
    const heights: number[] = [];
    let cursor: string | undefined = '0';
    while (cursor !== undefined) {
      const page = ask({ since_height: 2, limit, cursor });
      assert.ok(page.payments.length <= limit);
      assert.equal(page.more, page.next_cursor !== undefined);
      seen.push(...named(page));
      heights.push(page.indexed_height);
      cursor = page.next_cursor;
      // Whoever stores the height alone and dies here is told everything above it again.
      const again = named(ask({ since_height: page.indexed_height }));
      assert.deepEqual([...new Set([...seen, ...again])].sort(), ALL);
    }
    assert.deepEqual(seen, ALL);
    assert.deepEqual(
      heights,
      [...heights].sort((a, b) => a - b),
    );
    assert.equal(heights.at(-1), 9);
  }
});

test('without a cursor an answer ends at a whole height, however many payments that has', (t) => {
  const { ask } = paid(t, { 3: 1, 5: 5, 7: 1 });
  const first = ask({ since_height: 2, limit: 2 });
  assert.deepEqual([named(first), first.indexed_height, first.more], [['3-0'], 4, true]);
  const second = ask({ since_height: 4, limit: 2 });
  assert.deepEqual([named(second).length, second.indexed_height, second.more], [5, 5, true]);
  assert.equal(second.next_cursor, undefined);
});

test('a cursor from before history was read again tells everything since the stored height', (t) => {
  const { ask, scanner, state } = paid(t, { 3: 1, 5: 5, 7: 1 });
  const { next_cursor: cursor } = ask({ since_height: 2, limit: 4, cursor: '0' });
  assert.ok(cursor);
  state.meta.set('generation', '1');
  scanner.indexedHeight = 0;
  const during = ask({ since_height: 2, cursor });
  assert.deepEqual(during, { indexed_height: 0, payments: [], more: false });
  scanner.indexedHeight = 9;
  assert.deepEqual(named(ask({ since_height: 2, cursor })), ALL);
});
