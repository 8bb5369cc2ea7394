import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outpointOf } from 'svc-ledger';
import { init, verifyAddressCompleteness, verifyUtxoProof } from 'svc-wasm';
import { encodeAddress, fromHex } from 'svc-wasm/base';
import type { UnspentRecord } from '../src/codec/index-records.ts';
import { proveAddress, proveOutput } from '../src/proofs/output-proofs.ts';
import { applyLadder, ladderAddress, payeeOf } from './testing/ladder-chain.ts';
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
      const shown = JSON.parse(verifyUtxoProof(proof as Uint8Array, root, 'development'));
      assert.equal(shown.transaction_id, outpoint.slice(0, 96));
      assert.equal(shown.amount, String(amount));
      assert.equal(shown.address_balance, String(balance));
      assert.equal(shown.address_outputs, String(rows.length));
    }
  }
});

test('the list of an address is proven complete', async () => {
  for (const name of names) {
    const address = ladderAddress(name);
    const proof = await proveAddress(store, address);
    const text = encodeAddress(fromHex(address), 'development');
    const shown = JSON.parse(verifyAddressCompleteness(proof as Uint8Array, root, text));
    const rows = await unspentOf(address);
    assert.deepEqual(
      shown.outputs.map(({ transaction_id }: { transaction_id: string }) => transaction_id).sort(),
      rows.map(({ outpoint }) => outpoint.slice(0, 96)).sort(),
    );
  }
});

test('an address without outputs is proven to have none', async () => {
  for (let i = 0; i < 40; i++) {
    const address = ladderAddress(`stranger ${i}`);
    const proof = await proveAddress(store, address);
    const text = encodeAddress(fromHex(address), 'development');
    const shown = JSON.parse(verifyAddressCompleteness(proof as Uint8Array, root, text));
    assert.deepEqual(shown, { outputs: [], balance: '0' });
  }
});

test('an applied cut does not show in proofs before it is committed', async () => {
  const [row] = await unspentOf(payeeOf(1));
  applyLadder(store, 111);
  const proof = await proveOutput(store, outpointOf(row?.outpoint ?? ''));
  assert.doesNotThrow(() => verifyUtxoProof(proof as Uint8Array, root, 'development'));
  assert.equal(
    await proveOutput(store, { transactionId: '44'.repeat(48), outputIndex: 0 }),
    undefined,
  );
});
