import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { distribute, PplnsWindow, type WindowEntry, windowOf } from './pplns.ts';

const entry = fc.record({
  account: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  work: fc.bigInt({ min: 1n, max: 1n << 70n }),
});
const entries = fc.array(entry, { maxLength: 40 });
const atoms = fc.bigInt({ min: 0n, max: 20_000_000_000_000_000n });

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}

test('credits, fee and leftover are the reward and what was carried, to the atom', () => {
  fc.assert(
    fc.property(
      entries,
      atoms,
      fc.bigInt({ min: 0n, max: 100n }),
      fc.bigInt({ min: 0n, max: 10_000n }),
      (window, reward, carried, feeBasisPoints) => {
        const { credits, fee, leftover } = distribute({ reward, carried, feeBasisPoints, window });
        assert.equal(sum(credits.map((credit) => credit.atoms)) + fee + leftover, reward + carried);
        assert.ok(leftover >= 0n && fee <= reward);
        if (window.length > 0) assert.ok(leftover < 5n, 'less than an atom for each account');
        const total = sum(window.map(({ work }) => work));
        for (const { account, atoms: given } of credits) {
          const work = sum(
            window.filter((each) => each.account === account).map((each) => each.work),
          );
          const exact = (reward - fee + carried) * work;
          assert.ok(given * total <= exact && exact < (given + 1n) * total);
        }
      },
    ),
  );
});

test('the same window gives the same credits in whatever order its shares came', () => {
  fc.assert(
    fc.property(entries, atoms, (window, reward) => {
      const request = { reward, carried: 3n, feeBasisPoints: 100n };
      assert.deepEqual(
        distribute({ ...request, window }),
        distribute({ ...request, window: window.toReversed() }),
      );
    }),
  );
});

test('a window is the newest work, and the oldest share in it counts for the part that fits', () => {
  const newestFirst: WindowEntry[] = [
    { account: 'c', work: 5n },
    { account: 'b', work: 10n },
    { account: 'a', work: 100n },
  ];
  assert.deepEqual(windowOf(newestFirst, 18n), [
    { account: 'c', work: 5n },
    { account: 'b', work: 10n },
    { account: 'a', work: 3n },
  ]);
  assert.deepEqual(windowOf(newestFirst, 15n).length, 2);
});

test('a window kept up share by share is the one that is read from all shares', () => {
  fc.assert(
    fc.property(
      fc.array(entry, { maxLength: 3_000, size: 'max' }),
      fc.bigInt({ min: 1n, max: 1n << 72n }),
      (shares, size) => {
        const window = new PplnsWindow(size);
        for (const { account, work } of shares) window.add(account, work);
        const request = { reward: 1_000_000_007n, carried: 0n, feeBasisPoints: 0n };
        assert.deepEqual(
          distribute({ ...request, window: window.snapshot() }),
          distribute({ ...request, window: windowOf(shares.toReversed(), size) }),
        );
        const all = sum(shares.map(({ work }) => work));
        assert.equal(window.total, all < size ? all : size);
      },
    ),
    { numRuns: 50 },
  );
});

test('without any share the whole reward is carried, and no fee is taken', () => {
  assert.deepEqual(distribute({ reward: 10n, carried: 2n, feeBasisPoints: 100n, window: [] }), {
    credits: [],
    fee: 0n,
    leftover: 12n,
  });
});
