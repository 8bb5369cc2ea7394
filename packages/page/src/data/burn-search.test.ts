/** The search for burns: where it stops, and what it has found by then. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cut } from 'svc-api';
import { searchBurns } from './burn-search.ts';

/** A chain that burns so many atoms at each of these heights. */
function chainOf(burns: Readonly<Record<number, string>>) {
  const read: number[] = [];
  const readCut = async (height: number): Promise<Cut> => {
    read.push(height);
    const amount = burns[height];
    const entries = amount === undefined ? [] : [{ cause: 'output', id: 'ab', amount }];
    return { cut: { height, burns: entries } } as unknown as Cut;
  };
  return { read, readCut };
}

test('it stops where the burned amount is found, and reads no cut twice', async () => {
  const { read, readCut } = chainOf({ 90: '5', 70: '7', 3: '1' });
  const first = await searchBurns({ found: [], next: 100 }, { burned: 13n, cuts: 25, readCut });
  assert.deepEqual(
    first.found.map(({ height }) => height),
    [90],
  );
  assert.equal(first.next, 75);
  const second = await searchBurns(first, { burned: 13n, cuts: 1_000, readCut });
  assert.deepEqual(
    second.found.map(({ height, amount }) => [height, amount]),
    [
      [90, '5'],
      [70, '7'],
      [3, '1'],
    ],
  );
  assert.equal(new Set(read).size, read.length);
  const reads = read.length;
  await searchBurns(second, { burned: 13n, cuts: 1_000, readCut });
  assert.equal(read.length, reads, 'nothing is left to be found');
});

test('it ends at the first cut even if less was found than burned', async () => {
  const { read, readCut } = chainOf({ 2: '5' });
  const { found, next } = await searchBurns(
    { found: [], next: 6 },
    { burned: 9n, cuts: 1_000, readCut },
  );
  assert.deepEqual([found.length, next, read.length], [1, -1, 7]);
});
