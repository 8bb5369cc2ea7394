import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { referenceHash } from '../../test/testing/reference-hash.ts';
import { subtreeBytes } from '../commitment/state-root.ts';
import type { RecordLeafChange } from '../commitment/trees.ts';
import { concatBytes, LABELS, toHex } from '../protocol.ts';
import { MemoryTrees } from './memory-trees.ts';

interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly sum: bigint;
}

/** The root of a set of entries, from the definition: split by the first bit that differs. */
function naiveRoot(entries: readonly Entry[]): Uint8Array {
  if (entries.length === 0) return new Uint8Array(64);
  const [first] = entries as [Entry];
  if (entries.length === 1) {
    const hash = referenceHash(LABELS.leaf, Uint8Array.of(2), first.key, first.value);
    return subtreeBytes({ hash, sum: first.sum, count: 1n });
  }
  const bitAt = (key: Uint8Array, bit: number) =>
    ((key[bit >> 3] as number) >> (7 - (bit & 7))) & 1;
  let bit = 0;
  while (entries.every(({ key }) => bitAt(key, bit) === bitAt(first.key, bit))) bit++;
  const [left, right] = [0, 1].map((side) =>
    naiveRoot(entries.filter(({ key }) => bitAt(key, bit) === side)),
  ) as [Uint8Array, Uint8Array];
  const hash = referenceHash(LABELS.node, Uint8Array.of(bit & 255, bit >> 8), left, right);
  const sum = entries.reduce((total, entry) => total + entry.sum, 0n);
  return subtreeBytes({ hash, sum, count: BigInt(entries.length) });
}

const anyEntry = fc
  .tuple(fc.nat(15), fc.nat(255), fc.nat(3), fc.nat(1_000))
  .map(([head, middle, tail, sum]) => {
    const key = new Uint8Array(48);
    key.set([head << 4], 0);
    key.set([middle], 20);
    key.set([tail], 47);
    return { key, value: Uint8Array.of(sum & 255), sum: BigInt(sum) };
  });

function changeOf({ key, value, sum }: Entry, present: boolean): RecordLeafChange {
  return { tree: 'positions', key, value: present ? value : undefined, sum };
}

test('the root depends on the set of leaves alone, not on how it came about', () => {
  fc.assert(
    fc.property(
      fc.array(anyEntry, { maxLength: 40 }),
      fc.array(fc.nat(), { maxLength: 20 }),
      (entries, removals) => {
        const kept = new Map(entries.map((entry) => [toHex(entry.key), entry]));
        let trees = new MemoryTrees(referenceHash);
        trees = trees.stage(entries.map((entry) => changeOf(entry, true)));
        for (const removal of removals) {
          const gone = [...kept.values()][removal % Math.max(kept.size, 1)];
          if (gone === undefined) break;
          kept.delete(toHex(gone.key));
          trees = trees.stage([changeOf(gone, false)]);
        }
        assert.deepEqual(subtreeBytes(trees.roots.positions), naiveRoot([...kept.values()]));
      },
    ),
    { numRuns: 60 },
  );
});

test('staging changes nothing in the trees it started from', () => {
  const entry = { key: new Uint8Array(48), value: Uint8Array.of(1), sum: 5n };
  const trees = new MemoryTrees(referenceHash);
  const next = trees.stage([changeOf(entry, true)]);
  assert.deepEqual(subtreeBytes(trees.roots.positions), new Uint8Array(64));
  assert.equal(next.roots.positions.sum, 5n);
  assert.equal(concatBytes(next.roots.positions.hash).length, 48);
});
