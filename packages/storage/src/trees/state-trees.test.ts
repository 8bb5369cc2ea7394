import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BURN_ADDRESS,
  keyAddress,
  type LeafChange,
  type OutputLeafChange,
  outpointKey,
  type StagedTrees,
  subtreeBytes,
} from 'svc-ledger';
import { MemoryTrees } from 'svc-ledger/testing';
import { init } from 'svc-wasm';
import { hashLabel } from 'svc-wasm/protocol';
import { StateTrees } from './state-trees.ts';

await init();

function output(number: number, address: string, present = true): LeafChange {
  const transactionId = number.toString(16).padStart(96, '0');
  const outpoint = outpointKey({ transactionId, outputIndex: number });
  const record = { address, amount: BigInt(number), source: 'work_reward' as const, height: 1 };
  return { tree: 'outputs', outpoint, output: record, present };
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
  for (const { tree, name, record } of trees.writes())
    if (record !== undefined) records.set(nameOf(tree, name), record);
  trees.commit();
  trees.prepare([paid, later], 'removed');
  for (const gone of [paid, later]) {
    const changes = [{ ...gone, present: false }];
    assert.deepEqual(bytesOf(trees.stage(changes)), bytesOf(plain.stage(changes)));
  }
});
