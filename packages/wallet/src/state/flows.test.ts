import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { temporaryDirectory } from 'svc-base/testing';
import { openState } from './open-state.ts';

const IDENTITY = { fingerprint: '00112233aabbccdd', network: 'development' };
const HEIGHTS = 12;

const id = (number: number): string => number.toString(16).padStart(96, '0');

/** An output that came at a height, and perhaps went at another. */
const Coin = fc
  .record({
    amount: fc.bigInt({ min: 1n, max: 10n ** 12n }),
    came: fc.nat({ max: HEIGHTS }),
    stays: fc.option(fc.nat({ max: HEIGHTS })),
    maker: fc.nat({ max: 2 }),
  })
  .map(({ amount, came, maker, stays }) => ({
    amount,
    came,
    maker,
    went: stays === null || came + stays > HEIGHTS ? null : came + stays,
  }));

test('every period adds up, however it is divided, and ends with what was held then', (t) => {
  const state = openState(join(temporaryDirectory(t), 'wallet'), IDENTITY, 'test');
  t.after(() => state.close());
  const address = state.addresses.add(0, 0, 'somewhere', true);
  const clear = state.database.prepare('DELETE FROM outputs');
  const coins = fc.array(Coin, { maxLength: 24 });
  const cuts = fc.tuple(fc.nat({ max: HEIGHTS }), fc.nat({ max: HEIGHTS }), fc.nat({ max: 5 }));
  fc.assert(
    fc.property(coins, cuts, (some, [one, other, limit]) => {
      state.database.transaction(() => {
        clear.run();
        for (const [at, { amount, came, maker, went }] of some.entries()) {
          const transactionId = id(1000 * came + maker);
          state.outputs.receive(
            {
              ...{ transactionId, outputIndex: at, addressId: address, amount, height: came },
              ...{ source: 'regular', payloadText: null, payloadHex: null, senders: 'not_kept' },
              isMessenger: false,
            },
            1,
          );
          if (went !== null) state.outputs.spend(transactionId, at, went, id(1000 * went));
        }
      });
      const heldAfter = (height: number): bigint =>
        some
          .filter(({ came, went }) => came <= height && (went === null || went > height))
          .reduce((sum, { amount }) => sum + amount, 0n);
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      let balance = state.flows.balanceBefore(from);
      assert.equal(balance, heldAfter(from - 1));
      for (let at = from; at <= to; ) {
        const end = Math.min(to, state.flows.wholeHeights(at, limit) ?? to);
        const page = state.flows.between(at, end);
        assert.equal(state.flows.balanceBefore(at), balance);
        for (const { received, spent } of page) balance += received - spent;
        assert.equal(balance, heldAfter(end));
        at = end + 1;
      }
    }),
    { numRuns: 60 },
  );
});
