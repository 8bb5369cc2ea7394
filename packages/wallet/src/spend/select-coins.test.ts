import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Coin } from '../state/outputs.ts';
import { type CoinSource, type SelectionTask, selectCoins } from './select-coins.ts';

function coin(id: number, amount: bigint, addressId = id): Coin {
  return { id, transactionId: 'ab'.repeat(48), outputIndex: id, addressId, amount };
}

function sourceOf(coins: readonly Coin[]): CoinSource {
  const ascending = [...coins].sort((a, b) =>
    a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : 0,
  );
  return {
    smallestAtLeast: (amount) => ascending.find((each) => each.amount >= amount),
    largest: (limit) => ascending.toReversed().slice(0, limit),
  };
}

/** Even addresses cost 3, odd ones 7; a further coin of an address costs 1. */
function task(target: bigint, inputsMax = 8): SelectionTask {
  const costOf = ({ addressId }: Coin): bigint => (addressId % 2 === 0 ? 3n : 7n);
  return { target, inputsMax, costMax: 7n, costOf, repeatedCost: 1n };
}

function worth(coins: readonly Coin[], { costOf, repeatedCost }: SelectionTask): bigint {
  const seen = new Set<number>();
  return coins.reduce((sum, each) => {
    const cost = seen.has(each.addressId) ? repeatedCost : costOf(each);
    seen.add(each.addressId);
    return sum + each.amount - cost;
  }, 0n);
}

/** The fewest coins that cover the target, by trying every choice. */
function fewest(coins: readonly Coin[], wanted: SelectionTask): number | undefined {
  let found: number | undefined;
  for (let chosen = 1; chosen < 1 << coins.length; chosen++) {
    const subset = coins.filter((_, at) => ((chosen >> at) & 1) === 1);
    if (subset.length > wanted.inputsMax || worth(subset, wanted) < wanted.target) continue;
    found = Math.min(found ?? subset.length, subset.length);
  }
  return found;
}

test('a selection covers the target whenever any choice does, with the fewest coins', () => {
  const amounts = fc.array(fc.bigInt({ min: 1n, max: 60n }), { minLength: 0, maxLength: 9 });
  fc.assert(
    fc.property(
      amounts,
      fc.bigInt({ min: 1n, max: 250n }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 9 }),
      (list, target, most, addresses) => {
        const coins = list.map((amount, id) => coin(id, amount, id % addresses));
        const wanted = task(target, most);
        const found = selectCoins(sourceOf(coins), wanted);
        const least = fewest(coins, wanted);
        if (!('coins' in found)) {
          assert.equal(least, undefined);
          assert.ok(found.missing > 0n);
          return;
        }
        assert.equal(found.coins.length, least);
        assert.ok(worth(found.coins, wanted) >= target);
        assert.equal(new Set(found.coins.map(({ id }) => id)).size, found.coins.length);
      },
    ),
    { numRuns: 2000 },
  );
});

test('one coin that suffices is the smallest such', () => {
  const coins = [100n, 40n, 60n, 55n, 500n].map((amount, id) => coin(id, amount));
  const found = selectCoins(sourceOf(coins), task(45n));
  assert.deepEqual('coins' in found && found.coins.map(({ amount }) => amount), [55n]);
});

test('the last of several coins is the smallest that closes the gap', () => {
  const coins = [100n, 90n, 80n, 20n, 19n, 2n].map((amount, id) => coin(id, amount));
  const found = selectCoins(sourceOf(coins), task(105n));
  assert.deepEqual('coins' in found && found.coins.map(({ amount }) => amount), [100n, 19n]);
});

test('what is missing is told for the best choice within the limit', () => {
  const coins = Array.from({ length: 20 }, (_, id) => coin(2 * id, 10n));
  assert.deepEqual(selectCoins(sourceOf(coins), task(57n)), { missing: 1n });
  assert.deepEqual(selectCoins(sourceOf([]), task(57n)), { missing: 57n });
});

test('coins worth less than their cost are never taken', () => {
  const coins = [coin(1, 7n), coin(3, 6n), coin(5, 50n)];
  assert.deepEqual(selectCoins(sourceOf(coins), task(44n)), { missing: 1n });
});
