import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type SplitTask, splitForFloat } from './float.ts';

const OUTPUT_FEE = 50n;
const SPLIT_FEE = 2_000n;
/** What a transaction with one input and one output costs. */
const LEAST_FEE = 1_000n;

const task = (missing: number, piece: bigint, outputsMax = 8): SplitTask => ({
  ...{ missing, piece, outputsMax, outputFee: OUTPUT_FEE, splitFee: SPLIT_FEE },
});

const sum = (parts: readonly bigint[]): bigint => parts.reduce((all, part) => all + part, 0n);

test('parts and the fees of their outputs are the value, and each further part is a coin of the float', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 10n ** 12n }),
      fc.nat({ max: 500 }),
      fc.bigInt({ min: 100n, max: 10n ** 9n }),
      fc.integer({ min: 1, max: 8 }),
      (value, missing, piece, outputsMax) => {
        const { gained, parts } = splitForFloat(value, task(missing, piece, outputsMax));
        assert.equal(sum(parts) + BigInt(parts.length - 1) * OUTPUT_FEE, value);
        assert.ok(parts.length >= 1 && parts.length <= outputsMax);
        assert.ok(gained <= missing && gained >= parts.length - 1);
        if (parts.length > 1) assert.ok(parts.every((part) => part >= piece));
      },
    ),
  );
});

test('a value that is too small for two coins, and one of which nothing is missing, stay whole', () => {
  assert.deepEqual(splitForFloat(2_049n, task(5, 1_000n)), { parts: [2_049n], gained: 0 });
  assert.deepEqual(splitForFloat(2_050n, task(5, 1_000n)), { parts: [1_000n, 1_000n], gained: 1 });
  assert.deepEqual(splitForFloat(10n ** 9n, task(0, 1_000n)), { parts: [10n ** 9n], gained: 0 });
});

test('one coin becomes a hundred within three cuts, and a thousand within four', () => {
  for (const [wanted, cuts] of [
    [8, 1],
    [64, 2],
    [100, 3],
    [1_000, 4],
  ] as const) {
    const piece = 1_000_000n;
    let coins = [BigInt(wanted) * (piece + 2n * SPLIT_FEE) + 10n ** 10n];
    let made = 0;
    for (; coins.length < wanted; made++) {
      let missing = wanted - coins.length;
      coins = coins
        .toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
        .flatMap((coin) => {
          if (coin < 2n * piece || missing === 0) return [coin];
          const { gained, parts } = splitForFloat(coin - LEAST_FEE, task(missing, piece));
          missing -= gained;
          return gained === 0 ? [coin] : parts;
        });
      assert.ok(made < 20, `${coins.length} coins`);
    }
    assert.ok(coins.every((coin) => coin >= piece));
    assert.equal(made, cuts, `${wanted} coins`);
  }
});
