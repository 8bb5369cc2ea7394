import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SelectOptions } from 'svc-serve/ports';
import { RateOrder } from './rate-order.ts';
import { SYSTEM_RANDOM, selectTransactions, shuffled } from './select.ts';
import { SeededRandom, type TransactionShape, testPooled } from './testing/transactions.ts';

const INTERVAL = 500;
const ALL: SelectOptions = { maxTransactions: 1_000, maxBytes: 1e9, maxMass: 10n ** 30n };

/** Transactions come in the order of their times. */
function orderOf(shapes: readonly TransactionShape[]): RateOrder {
  const order = new RateOrder();
  const sorted = shapes.toSorted((a, b) => (a.receivedAtMillis ?? 0) - (b.receivedAtMillis ?? 0));
  for (const shape of sorted) order.add(testPooled(shape));
  return order;
}

function select(
  order: RateOrder,
  options: Partial<SelectOptions> = {},
  { seed = 1, height = 0 } = {},
): number[] {
  const random = new SeededRandom(seed);
  const ports = { order, random, height, cutIntervalMillis: INTERVAL };
  return selectTransactions(ports, { ...ALL, ...options }).map(({ id }) => Number.parseInt(id, 16));
}

const numbers = (count: number, first = 0) => Array.from({ length: count }, (_, i) => first + i);

test('[MINE-05] the better fee rate comes first, exactly, whoever sent it', () => {
  const order = orderOf([
    { name: 1, fee: 10n ** 17n, mass: 10n ** 17n - 1n, origin: 'relayed' },
    { name: 2, fee: 10n ** 17n + 1n, mass: 10n ** 17n },
    { name: 3, fee: 3n, mass: 3n },
    { name: 4, fee: 10n ** 17n + 2n, mass: 10n ** 17n + 1n, origin: 'relayed' },
    { name: 5, fee: 2n, mass: 1n, origin: 'relayed' },
  ]);
  assert.deepEqual(select(order), [5, 1, 2, 4, 3]);
});

test('[MINE-05] within one rate own transactions come before relayed ones', () => {
  const shapes = numbers(40).map(
    (name): TransactionShape => ({ name, origin: name % 2 === 0 ? 'own' : 'relayed', fee: 77n }),
  );
  for (const seed of numbers(20)) {
    const selected = select(orderOf(shapes), {}, { seed });
    assert.ok(selected.slice(0, 20).every((name) => name % 2 === 0));
    assert.equal(new Set(selected).size, 40);
  }
});

test('[MINE-05] a relayed one counts as own once it is a cut interval older than the oldest own', () => {
  const own = numbers(10).map(
    (name): TransactionShape => ({ name, receivedAtMillis: 1_000 + name }),
  );
  const relayed = (name: number, receivedAtMillis: number): TransactionShape => ({
    name,
    origin: 'relayed',
    receivedAtMillis,
  });
  const aged = numbers(10, 100).map((name) => relayed(name, 1_000 - INTERVAL));
  const fresh = numbers(10, 200).map((name) => relayed(name, 1_001 - INTERVAL));
  const order = orderOf([...own, ...aged, ...fresh]);
  let firstWasAged = 0;
  for (const seed of numbers(200)) {
    const selected = select(order, {}, { seed });
    assert.ok(selected.slice(0, 20).every((name) => name < 200));
    assert.ok(selected.slice(20).every((name) => name >= 200));
    if ((selected[0] ?? 0) >= 100) firstWasAged++;
  }
  assert.ok(firstWasAged > 60 && firstWasAged < 140, `${firstWasAged} of 200`);
});

test('[MINE-05] the oldest own that counts is one that still waits, of the same rate', () => {
  const order = orderOf([
    { name: 1, receivedAtMillis: 0 },
    { name: 2, receivedAtMillis: 1_000 },
    { name: 3, receivedAtMillis: 400, origin: 'relayed' },
    { name: 4, receivedAtMillis: 0, fee: 9_000n },
  ]);
  const isFirst = (seed: number, skip: SelectOptions['skip']) =>
    select(order, skip === undefined ? {} : { skip }, { seed })[0] === 3;
  assert.ok(numbers(60).every((seed) => !isFirst(seed, undefined)));
  const carried = (id: string) => Number.parseInt(id, 16) === 1;
  assert.ok(numbers(60).some((seed) => isFirst(seed, carried)));
});

test('[MINE-05] the draw gives every transaction of a group the same chance', () => {
  const count = 12;
  const rounds = 6_000;
  const order = orderOf(numbers(count).map((name) => ({ name })));
  const random = new SeededRandom(7);
  const ports = { order, random, height: 0, cutIntervalMillis: INTERVAL };
  const first = numbers(count).fill(0);
  const last = numbers(count).fill(0);
  for (let round = 0; round < rounds; round++) {
    const selected = selectTransactions(ports, { ...ALL, maxTransactions: count });
    first[Number.parseInt(selected[0]?.id ?? '', 16)]! += 1;
    last[Number.parseInt(selected.at(-1)?.id ?? '', 16)]! += 1;
  }
  const expected = rounds / count;
  for (const counts of [first, last]) {
    const distance = counts.reduce((sum, found) => sum + (found - expected) ** 2 / expected, 0);
    // Chi-squared with 11 degrees of freedom passes 31.3 once in a thousand draws.
    assert.ok(distance < 31.3, `chi-squared ${distance}`);
  }
});

test('a draw is a permutation, also of none and one, and with the system as its source', () => {
  for (const count of [0, 1, 2, 50]) {
    const drawn = [...shuffled(count, SYSTEM_RANDOM)];
    assert.deepEqual(
      drawn.toSorted((a, b) => a - b),
      numbers(count),
    );
  }
});

test('a selection keeps to its number, bytes and mass, and fills gaps with what fits', () => {
  const shapes = numbers(10).map((name) => ({ name, bytes: 10_000, mass: 2_000n, fee: 20_000n }));
  const small = { name: 50, bytes: 900, mass: 100n, fee: 100n };
  const order = orderOf([...shapes, small]);
  assert.equal(select(order, { maxTransactions: 4 }).length, 4);
  assert.equal(select(order, { maxTransactions: 0 }).length, 0);
  const tight = select(order, { maxBytes: 31_000 });
  assert.deepEqual([tight.length, tight.at(-1)], [4, 50]);
  // Each takes its length besides, as in the body of a block.
  assert.equal(select(order, { maxBytes: 30_000 }).length, 3);
  assert.equal(select(order, { maxMass: 6_050n }).length, 3);
  assert.equal(select(order, { maxMass: 6_100n }).length, 4);
});

test('what no block made now could execute is passed over', () => {
  const order = orderOf([
    { name: 1, validFrom: 12n },
    { name: 2, validFrom: 13n },
    { name: 3, validUntil: 12n },
    { name: 4, validUntil: 11n },
  ]);
  assert.deepEqual(
    select(order, {}, { height: 10 }).toSorted((a, b) => a - b),
    [1, 3],
  );
});

test('transactions that are gone are neither drawn nor listed, however many', () => {
  const order = new RateOrder();
  const transactions = numbers(500).map((name) =>
    testPooled({ name, receivedAtMillis: name, origin: name % 3 === 0 ? 'relayed' : 'own' }),
  );
  for (const pooled of transactions) order.add(pooled);
  const random = new SeededRandom(3);
  const staying = new Set(transactions);
  while (staying.size > 20) {
    const pooled = [...staying][random.below(staying.size)];
    if (pooled === undefined) continue;
    pooled.isGone = true;
    order.remove(pooled);
    staying.delete(pooled);
    if (staying.size % 60 !== 0) continue;
    const expected = [...staying].map(({ id }) => Number.parseInt(id, 16)).sort((a, b) => a - b);
    assert.deepEqual(
      select(order).sort((a, b) => a - b),
      expected,
    );
    assert.equal([...order].length, expected.length);
    assert.equal([...order.leastFirst()].length, expected.length);
  }
  for (const pooled of staying) {
    pooled.isGone = true;
    order.remove(pooled);
  }
  assert.deepEqual([...order.groups()], []);
});
