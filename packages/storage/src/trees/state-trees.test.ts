import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  BURN_ADDRESS,
  keyAddress,
  type LeafChange,
  type OutputLeafChange,
  outpointKey,
  type StagedTrees,
  subtreeBytes,
  TREES,
} from 'svc-ledger';
import { MemoryTrees } from 'svc-ledger/testing';
import { init } from 'svc-wasm';
import { hashLabel } from 'svc-wasm/protocol';
import type { BucketsAhead } from '../tree/bucket-tree.ts';
import { StateTrees } from './state-trees.ts';

await init();

function output(number: number, address: string, present = true): LeafChange {
  const transactionId = number.toString(16).padStart(96, '0');
  const outpoint = outpointKey({ transactionId, outputIndex: number });
  const record = { address, amount: BigInt(number), source: 'work_reward' as const, height: 1 };
  return { tree: 'outputs', outpoint, output: record, present };
}

function record(number: number, value: number | undefined): LeafChange {
  const tree = (['positions', 'validators', 'keys'] as const)[number % 3] as 'keys';
  const key = new Uint8Array(64).fill(number * 37).fill(number, 0, 2);
  return { tree, key, value: value === undefined ? undefined : Uint8Array.of(value), sum: 1n };
}

/** Trees above a map, which is brought up to date by `write`. */
function treesOnMap(onRead: () => void = () => {}) {
  const records = new Map<string, Uint8Array>();
  const nameOf = (tree: number, name: Uint8Array) => `${tree} ${Buffer.from(name).toString('hex')}`;
  const read = (tree: number, name: Uint8Array) => {
    onRead();
    return records.get(nameOf(tree, name));
  };
  const trees = new StateTrees(read, undefined, 2);
  const readAhead = ({ names, offer }: BucketsAhead): void =>
    names.forEach((name, place) => {
      const found = records.get(nameOf(TREES.outputs, name));
      if (found !== undefined) offer(place, found);
    });
  const write = (): void => {
    for (const { tree, name, record } of trees.writes().buckets) {
      if (record === undefined) records.delete(nameOf(tree, name));
      else records.set(nameOf(tree, name), record.slice());
    }
    trees.written();
  };
  return { trees, records, readAhead, write };
}

function bytesOf({ roots }: StagedTrees): Uint8Array[] {
  return [roots.outputs, roots.positions, roots.validators, roots.keys].map(subtreeBytes);
}

const owner = keyAddress('ab'.repeat(48));

test('a reward paid to the burn address has its leaf among the others', () => {
  const changes = [output(1, owner), output(2, BURN_ADDRESS), output(3, owner)];
  const trees = new StateTrees(() => undefined);
  const plain = new MemoryTrees(hashLabel).stage(changes);
  assert.deepEqual(bytesOf(trees.stage(changes)), bytesOf(plain));
  trees.commit();
});

test('staging another cut takes the staged one back, and holding one keeps it', () => {
  const records = new Map<string, Uint8Array>();
  const trees = new StateTrees((tree, name) =>
    records.get(`${tree} ${Buffer.from(name).toString('hex')}`),
  );
  const empty = new MemoryTrees(hashLabel);
  const first = trees.stage([output(1, owner)]);
  const second = trees.stage([output(2, owner), output(3, owner)]);
  assert.deepEqual(bytesOf(second), bytesOf(empty.stage([output(2, owner), output(3, owner)])));
  assert.deepEqual(trees.pin(first).roots, first.roots);
  assert.throws(() => trees.stage([output(4, owner)]), /being written/);
  assert.throws(() => trees.discard(), /being written/);
  trees.commit();
  assert.deepEqual(trees.roots, first.roots);
});

test('leaves that were prepared serve the cut that spends them; what a dropped cut would have paid is forgotten', () => {
  const records = new Map<string, Uint8Array>();
  const nameOf = (tree: number, name: Uint8Array) => `${tree} ${Buffer.from(name).toString('hex')}`;
  const trees = new StateTrees((tree, name) => records.get(nameOf(tree, name)));
  const [paid, later] = [output(1, owner), output(2, owner)] as [
    OutputLeafChange,
    OutputLeafChange,
  ];
  trees.prepare([later], 'put');
  trees.stage([{ ...paid, output: { ...paid.output, amount: 7n } }, later]);
  const first = trees.stage([paid, later]);
  const plain = new MemoryTrees(hashLabel).stage([paid, later]);
  assert.deepEqual(bytesOf(first), bytesOf(plain));
  trees.pin(first);
  for (const { tree, name, record } of trees.writes().buckets)
    if (record !== undefined) records.set(nameOf(tree, name), record);
  trees.commit();
  trees.prepare([paid, later], 'removed');
  for (const gone of [paid, later]) {
    const changes = [{ ...gone, present: false }];
    assert.deepEqual(bytesOf(trees.stage(changes)), bytesOf(plain.stage(changes)));
  }
});

test('groups of cuts that are taken over at once leave the trees and records of cuts one by one', () => {
  const cut = fc.record({
    made: fc.integer({ min: 0, max: 12 }),
    spent: fc.array(fc.nat(), { maxLength: 12 }),
    records: fc.array(fc.tuple(fc.nat({ max: 60 }), fc.option(fc.nat({ max: 255 }))), {
      maxLength: 12,
    }),
    /** Whether the trees are read after the cut, and whether the next is read ahead. */
    isRead: fc.boolean(),
    isReadAhead: fc.boolean(),
  });
  const groups = fc.array(fc.array(cut, { minLength: 1, maxLength: 6 }), { maxLength: 6 });
  fc.assert(
    fc.property(groups, (plan) => {
      const [single, grouped] = [treesOnMap(), treesOnMap()];
      const unspent: number[] = [];
      const kept = new Set<number>();
      let next = 1;
      for (const group of plan) {
        for (const { made, spent, records, isRead, isReadAhead } of group) {
          const changes = new Map<string, LeafChange>();
          for (const choice of spent) {
            if (unspent.length === 0) break;
            const [number = 0] = unspent.splice(choice % unspent.length, 1);
            changes.set(`output ${number}`, output(number, owner, false));
          }
          for (let count = 0; count < made; count++, next++) {
            unspent.push(next);
            changes.set(`output ${next}`, output(next, owner));
          }
          for (const [number, value] of records) {
            if (changes.has(`record ${number}`) || (value === null && !kept.has(number))) continue;
            changes.set(`record ${number}`, record(number, value ?? undefined));
            if (value === null) kept.delete(number);
            else kept.add(number);
          }
          const staged = single.trees.stage([...changes.values()]);
          single.trees.pin(staged);
          single.write();
          single.trees.commit();
          const expected = bytesOf(staged);
          const check = (roots: StagedTrees['roots']): void =>
            assert.deepEqual(bytesOf({ roots }), expected);
          grouped.trees.accept(grouped.trees.defer([...changes.values()], check));
          if (isRead) assert.deepEqual(bytesOf(grouped.trees), expected);
          if (!isReadAhead) continue;
          const later = unspent.map((number) => output(number, owner) as OutputLeafChange);
          grouped.readAhead(grouped.trees.prepare(later, 'removed'));
        }
        for (const ahead of grouped.trees.deferredBuckets()) grouped.readAhead(ahead);
        grouped.write();
        assert.deepEqual(grouped.records, single.records);
      }
      assert.deepEqual(bytesOf(grouped.trees), bytesOf(single.trees));
    }),
    { numRuns: 60 },
  );
});

test('nothing is left of changes that end because a bucket cannot be read', () => {
  let readsLeft = Number.POSITIVE_INFINITY;
  const { trees, write } = treesOnMap(() => {
    if (readsLeft-- <= 0) throw new Error('a failing disk');
  });
  const numbers = Array.from({ length: 100 }, (_, place) => place + 1);
  const first = trees.stage(numbers.map((number) => output(number, owner)));
  trees.pin(first);
  write();
  trees.commit();
  const changes = numbers.slice(0, 50).map((number) => output(number, owner, false));
  const plain = new MemoryTrees(hashLabel).stage(numbers.map((number) => output(number, owner)));
  const attempts = [
    () => trees.stage(changes),
    () => {
      if (trees.deferredLeaves === 0) trees.accept(trees.defer(changes, () => {}));
      return trees;
    },
  ];
  for (const attempt of attempts) {
    for (readsLeft = 0; readsLeft < 6; readsLeft++) {
      const reads = readsLeft;
      assert.throws(() => bytesOf(attempt()), /a failing disk/);
      if (!trees.hasUnwritten) assert.deepEqual(trees.writes(), { buckets: [], balances: [] });
      readsLeft = reads;
    }
    readsLeft = Number.POSITIVE_INFINITY;
    assert.deepEqual(bytesOf(attempt()), bytesOf(plain.stage(changes)));
    trees.discard();
  }
});
