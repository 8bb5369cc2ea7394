import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { MethodParams, MethodResult } from 'svc-api/rpc';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { openState } from '../state/open-state.ts';
import { statement } from './incoming.ts';
import { COMMAND_LINE, type WalletPorts } from './method.ts';

const IDENTITY = { fingerprint: '00112233aabbccdd', network: 'development' };
const HEAD = 30;

await init();

/** A wallet that got a coin at each of these heights; those with a time were final then. */
function paid(t: TestContext, cuts: readonly (readonly [height: number, atMillis?: number])[]) {
  const state = openState(join(temporaryDirectory(t), 'wallet'), IDENTITY, 'test');
  t.after(() => state.close());
  const addressId = state.addresses.add(0, 0, 'a', true);
  for (const [height, atMillis] of cuts) {
    state.outputs.receive(
      {
        ...{ transactionId: `at-${height}`, outputIndex: 0, addressId, amount: 1n, height },
        ...{ source: 'regular', payloadText: null, payloadHex: null, senders: [] },
        isMessenger: false,
      },
      1,
    );
    state.cuts.keep({
      height,
      cutId: `c${height}`,
      ...(atMillis === undefined ? {} : { atMillis }),
    });
  }
  const scanner = { indexedHeight: HEAD };
  const wallet = { state, scanner, expectHistoryRead: () => {} } as unknown as WalletPorts;
  const ask = (params: MethodParams<'statement'>) =>
    statement(wallet, params, COMMAND_LINE) as MethodResult<'statement'>;
  return { ask, state };
}

const FOLLOWED = [
  [3, 1_000],
  [5, 2_000],
  [9, 3_000],
] as const;

test('periods that are named by times meet each other and add up to the whole', (t) => {
  const { ask } = paid(t, FOLLOWED);
  const whole = ask({ from_height: 0 });
  assert.deepEqual(
    whole.entries.map(({ finalized_at_millis }) => finalized_at_millis),
    [1_000, 2_000, 3_000],
  );
  const edges = [0, 999, 1_000, 1_001, 2_000, 2_500, 2_600, 3_000, 3_001, 9_000];
  for (let first = 0; first < edges.length; first++) {
    const cut = [0, ...edges.slice(first), 1e6];
    const parts = cut
      .slice(1)
      .map((to_millis, at) => ask({ from_millis: cut[at] ?? 0, to_millis }));
    assert.deepEqual(
      parts.flatMap(({ entries }) => entries),
      whole.entries,
    );
    for (const [at, part] of parts.entries())
      assert.equal(part.opening, parts[at - 1]?.closing ?? whole.opening);
    assert.equal(parts.at(-1)?.closing, whole.closing);
  }
});

test('a time that may lie on either side of a cut is refused, and heights are taken', (t) => {
  const { ask } = paid(t, [[2], ...FOLLOWED, [7], [12]]);
  const at = (from_millis: number) => ask({ from_millis }).from_height;
  assert.throws(() => at(500), /cut 2 was final is not known/);
  assert.throws(() => at(2_500), /cut 7 was final is not known/);
  assert.throws(() => at(3_500), /cut 12 was final is not known/);
  assert.deepEqual([at(1_000), at(3_000)], [3, 9], 'all before were earlier');
  assert.deepEqual([at(1_500), at(2_000), ask({ from_height: 7 }).entries.length], [5, 5, 3]);
  assert.equal(ask({ from_height: 7, to_height: 7 }).entries[0]?.finalized_at_millis, null);
});

test('what was there from the beginning is before every time', (t) => {
  const { ask } = paid(t, [[0], ...FOLLOWED]);
  const { from_height, opening } = ask({ from_millis: 0 });
  assert.deepEqual([from_height, opening], [3, '0.00000001']);
});

test('times of cuts of a history that was given up are forgotten, and those without outputs are not kept', (t) => {
  const { ask, state } = paid(t, FOLLOWED);
  state.cuts.keep({ height: 20, cutId: 'c20', atMillis: 4_000 });
  assert.deepEqual([...state.cuts.times(0, HEAD).keys()], [3, 5, 9]);
  state.cuts.forgetAbove(5);
  assert.deepEqual([...state.cuts.times(0, HEAD).keys()], [3, 5]);
  assert.throws(() => ask({ from_millis: 2_500 }), /cut 9 was final is not known/);
});

test('a period begins with a height or a time, and ends after it', (t) => {
  const { ask } = paid(t, FOLLOWED);
  assert.throws(() => ask({}), /begins with a height or a time/);
  assert.throws(() => ask({ from_height: 1, from_millis: 1 }), /begins with a height or a time/);
  const both = { from_height: 1, to_height: 2, to_millis: 2 };
  assert.throws(() => ask(both), /ends with a height or a time/);
  assert.throws(() => ask({ from_millis: 3_000, to_millis: 1_000 }), /begins after its end/);
  const { entries, closing, opening } = ask({ from_millis: 2_100, to_millis: 2_200 });
  assert.deepEqual([entries.length, opening], [0, closing]);
});
