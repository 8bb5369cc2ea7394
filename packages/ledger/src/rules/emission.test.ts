import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ATOMS_PER_COIN,
  EMISSION_TOTAL,
  GENESIS_SUPPLY,
  LEDGER_PARAMETERS,
  MAX_SUPPLY,
} from '../parameters.ts';
import { firstEmission, nextEmission, subsidyOf } from './emission.ts';
import { halvesOf } from './halves.ts';

const LAST_DAY = 12_650;

/** Issued by the end of each day, day 1 first, and the amount of each day. */
function schedule(days: number): { issued: bigint[]; amounts: bigint[] } {
  const issued: bigint[] = [];
  const amounts: bigint[] = [];
  let sum = 0n;
  for (let day = 1, state = firstEmission(); day <= days; day++, state = nextEmission(state)) {
    sum += state.intervalAmount;
    amounts.push(state.intervalAmount);
    issued.push(sum);
    assert.equal(sum + state.remaining, EMISSION_TOTAL, `day ${day} loses atoms`);
  }
  return { issued, amounts };
}

test('[ECON-06] [ECON-07] the whole schedule: the day of each share, and of the last atom', () => {
  const { issued, amounts } = schedule(LAST_DAY + 1_000);
  const shares: [string, bigint, bigint, number][] = [
    ['50 %', 1n, 2n, 231],
    ['90 %', 9n, 10n, 767],
    ['99 %', 99n, 100n, 1_533],
    ['99.9 %', 999n, 1_000n, 2_300],
    ['99.99 %', 9_999n, 10_000n, 3_066],
  ];
  for (const [name, part, whole, day] of shares) {
    const reached = issued.findIndex((sum) => sum * whole >= EMISSION_TOTAL * part) + 1;
    assert.equal(reached, day, name);
  }
  assert.equal(issued[LAST_DAY - 1], EMISSION_TOTAL);
  assert.ok((issued[LAST_DAY - 2] as bigint) < EMISSION_TOTAL);
  assert.equal(amounts[LAST_DAY - 1], 1n);
  assert.ok(amounts.slice(LAST_DAY).every((amount) => amount === 0n));
});

test('[ECON-04] 15.625 coins per cut and 540,000 per day in the first interval', () => {
  const { intervalAmount } = firstEmission();
  const { interval } = LEDGER_PARAMETERS.mainnet;
  assert.equal(intervalAmount, 540_000n * ATOMS_PER_COIN);
  for (const index of [0, 1, 17_280, interval - 1]) {
    assert.equal(subsidyOf(intervalAmount, index, interval), 1_562_500_000n);
  }
});

test('[ECON-01] genesis and emission together make 200,000,000 coins', () => {
  assert.equal(MAX_SUPPLY, 20_000_000_000_000_000n);
  assert.equal(GENESIS_SUPPLY + EMISSION_TOTAL, MAX_SUPPLY);
});

test('[ECON-03] an interval issues 0.3 % of what is to come, so 99.7 % of the one before', () => {
  const { amounts, issued } = schedule(3_066);
  assert.equal(amounts[0], (EMISSION_TOTAL * 3n) / 1_000n);
  for (let day = 1; day < amounts.length; day++) {
    const before = amounts[day - 1] as bigint;
    const now = amounts[day] as bigint;
    const difference = now * 1_000n - before * 997n;
    assert.ok(difference > -2_000n && difference < 2_000n, `day ${day + 1}`);
    const toCome = EMISSION_TOTAL - (issued[day - 1] as bigint);
    assert.ok(now === (toCome * 3n) / 1_000n || now === (toCome * 3n) / 1_000n + 1n);
  }
});

test('[ECON-05] the remainder of the division carries to the next interval', () => {
  const first = nextEmission({ remaining: 1_333n, carry: 0n, intervalAmount: 0n });
  assert.deepEqual(first, { remaining: 1_330n, carry: 999n, intervalAmount: 3n });
  const second = nextEmission(first);
  assert.deepEqual(second, { remaining: 1_326n, carry: 989n, intervalAmount: 4n });
});

test('the cuts of an interval share its amount to the atom, and no two differ by more than one', () => {
  for (const interval of [12, 120, 360, 34_560]) {
    for (const amount of [0n, 1n, 7n, 119n, 121n, 53_838_000_000_000n]) {
      let sum = 0n;
      const seen = new Set<bigint>();
      for (let index = 0; index < interval; index++) {
        const subsidy = subsidyOf(amount, index, interval);
        seen.add(subsidy);
        sum += subsidy;
      }
      assert.equal(sum, amount);
      const floor = amount / BigInt(interval);
      assert.ok([...seen].every((subsidy) => subsidy === floor || subsidy === floor + 1n));
    }
  }
});

test('[ECON-08] a subsidy or fee splits in half, the odd atom with the stake', () => {
  assert.deepEqual(halvesOf(10n), { work: 5n, stake: 5n });
  assert.deepEqual(halvesOf(11n), { work: 5n, stake: 6n });
  assert.deepEqual(halvesOf(1n), { work: 0n, stake: 1n });
  assert.deepEqual(halvesOf(0n), { work: 0n, stake: 0n });
});
