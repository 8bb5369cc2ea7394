import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outpointOf } from 'svc-ledger';
import { init } from 'svc-wasm';
import { fromHex, toHex } from 'svc-wasm/base';
import { checkCompletenessProof, checkOutputProof, checkTotalsProof } from 'svc-wasm/testing';
import type { UnspentRecord } from '../src/codec/index-records.ts';
import { proveAddress, proveOutput, proveTotals } from '../src/proofs/output-proofs.ts';
import { applyLadder, ladderAddress, payeeOf, stepLadder } from './testing/ladder-chain.ts';
import { memoryLadder } from './testing/ladder-store.ts';

await init();
const store = await memoryLadder(110);
const root = fromHex(store.head?.stateRoot ?? '');

async function unspentOf(address: string): Promise<readonly UnspentRecord[]> {
  const reader = store.reader();
  const { rows } = await reader.utxos(address, { limit: 512 });
  await reader.close();
  return rows;
}

const names = [
  'bank',
  'miner',
  'alice rewards',
  ...Array.from({ length: 7 }, (_, i) => `payee ${i}`),
];

test('every output is proven by the state root, with its address whole balance', async () => {
  for (const name of names) {
    const rows = await unspentOf(ladderAddress(name));
    assert.ok(rows.length > 0, name);
    const balance = rows.reduce((sum, { amount }) => sum + amount, 0n);
    for (const { outpoint, amount } of rows) {
      const proof = await proveOutput(store, outpointOf(outpoint));
      const shown = checkOutputProof(proof as Uint8Array, root);
      assert.equal(toHex(shown.output.transactionId), outpoint.slice(0, 96));
      assert.equal(shown.output.amount, amount);
      assert.equal(shown.address.sum, balance);
      assert.equal(shown.address.count, BigInt(rows.length));
    }
  }
});

test('the list of an address is proven complete', async () => {
  for (const name of names) {
    const address = ladderAddress(name);
    const proof = await proveAddress(store, address);
    const shown = checkCompletenessProof(proof as Uint8Array, root, fromHex(address));
    const rows = await unspentOf(address);
    assert.deepEqual(
      shown.outputs.map(({ transactionId }) => toHex(transactionId)).sort(),
      rows.map(({ outpoint }) => outpoint.slice(0, 96)).sort(),
    );
  }
});

test('the totals are proven by the state root, and the trees add up to them', async () => {
  const reader = store.reader();
  const economy = await reader.economy();
  await reader.close();
  const { trees, remaining, carry, intervalAmount, ...sums } = checkTotalsProof(
    await proveTotals(store),
    root,
  );
  assert.deepEqual({ remaining, carry, intervalAmount }, economy.emission);
  for (const [name, sum] of Object.entries(sums)) {
    const own = economy[name as keyof typeof economy];
    assert.equal(sum, BigInt(own as bigint | number), name);
  }
  assert.equal(trees.outputs.sum, economy.outputs);
  assert.equal(trees.positions.sum, economy.bonded + economy.unbonding + economy.slashed);
  assert.equal(trees.validators.sum, economy.bonded);
});

test('an address without outputs is proven to have none', async () => {
  for (let i = 0; i < 40; i++) {
    const address = ladderAddress(`stranger ${i}`);
    const proof = await proveAddress(store, address);
    const shown = checkCompletenessProof(proof as Uint8Array, root, fromHex(address));
    assert.deepEqual(shown, { outputs: [], balance: 0n });
  }
});

test('an applied cut does not show in proofs before it is committed', async () => {
  const [row] = await unspentOf(payeeOf(1));
  applyLadder(store, 111);
  const proof = await proveOutput(store, outpointOf(row?.outpoint ?? ''));
  assert.doesNotThrow(() => checkOutputProof(proof as Uint8Array, root));
  assert.equal(
    await proveOutput(store, { transactionId: '44'.repeat(48), outputIndex: 0 }),
    undefined,
  );
  applyLadder(store, 111);
  const totals = await proveTotals(store);
  assert.doesNotThrow(() => checkTotalsProof(totals, root));
});

test('a proof that is asked for while a cut begins to be committed is of a cut', async () => {
  const moving = await memoryLadder(20);
  const address = fromHex(payeeOf(1));
  for (let turns = 0; turns < 12; turns++) {
    const stateRoots = [fromHex(moving.head?.stateRoot ?? '')];
    const stepping = stepLadder(moving);
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    const proving = Promise.all([proveAddress(moving, toHex(address)), proveTotals(moving)]);
    stateRoots.push(fromHex((await stepping).stateRoot));
    const [outputs, totals] = await proving;
    const isOf = (check: (root: Uint8Array) => unknown) =>
      stateRoots.some((stateRoot) => {
        try {
          return check(stateRoot) !== undefined;
        } catch {
          return false;
        }
      });
    assert.ok(isOf((root) => checkCompletenessProof(outputs as Uint8Array, root, address)));
    assert.ok(isOf((root) => checkTotalsProof(totals, root)));
  }
});
