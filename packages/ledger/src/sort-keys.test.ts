import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareText, numberKey } from './identifiers.ts';
import { sortedKeys } from './sort-keys.ts';

const digit = fc.constantFrom(...'0123456789abcdef');
/** Hashes of which many begin alike, some short, some no hexadecimal at all. */
const key = fc.oneof(
  { weight: 40, arbitrary: fc.string({ unit: digit, minLength: 8, maxLength: 12 }) },
  {
    weight: 40,
    arbitrary: fc.string({ unit: digit, maxLength: 4 }).map((end) => `00ff00ff${end}`),
  },
  { weight: 1, arbitrary: fc.string({ unit: digit, maxLength: 7 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
);

test('keys are in the order of their texts, whatever they are and however many', () => {
  const all = fc.array(key, { maxLength: 300, size: 'max' });
  fc.assert(
    fc.property(all, (keys) => {
      const before = [...keys];
      assert.deepEqual(sortedKeys(new Set(keys)), [...new Set(keys)].sort(compareText));
      assert.deepEqual(sortedKeys(keys), [...keys].sort(compareText));
      assert.deepEqual(keys, before);
    }),
    { numRuns: 500 },
  );
});

test('many hashes are sorted as numbers and come out as texts do', () => {
  const hex = fc.string({ unit: digit, minLength: 8, maxLength: 9 });
  fc.assert(
    fc.property(fc.array(hex, { minLength: 32, maxLength: 400, size: 'max' }), (keys) => {
      assert.deepEqual(sortedKeys(keys), [...keys].sort(compareText));
    }),
    { numRuns: 300 },
  );
});

test('keys that begin with the same height come out as texts do, beside keys that do not', () => {
  const below = (count: number) =>
    Array.from({ length: count }, (_, place) => ((place * 7_919) % count).toString(16));
  const alike = (count: number) =>
    below(count).map((end) => `${numberKey(9)}${end.padStart(96, '0')}`);
  const apart = below(500).map((start) => `${start.padStart(3, '0')}00000${start}`);
  // Few are moved to their places, many are sorted as texts.
  for (const count of [2, 15, 16, 17, 18, 2_000]) {
    const keys = [...apart, ...alike(count)];
    assert.deepEqual(sortedKeys(keys), [...keys].sort(compareText));
  }
});
