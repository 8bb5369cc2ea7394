/**
 * The cost of growing the state: the least fee of the transactions that add the most to it, and the bytes that a store
 * keeps for it. The figures are those of `docs/internals/threats.md`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ATOMS_PER_COIN, MAX_SUPPLY, POSITION_MIN, SELF_BOND_MIN } from 'svc-ledger';
import {
  encodeTransactionBody,
  init,
  quoteTransaction,
  quoteTransactionWithInputProfiles,
} from 'svc-wasm';
import { encodeAddress, toHex } from 'svc-wasm/base';
import { createManifest, hashLabel } from 'svc-wasm/protocol';
import {
  rebuildOutputs,
  rebuildRecordTrees,
  writeOutputsInBulk,
  writeRecordsInBulk,
} from '../src/bulk/index.ts';
import { MemoryStore } from '../src/key-value/memory-store.ts';

await init();

const SAMPLES = 2_000;
const TEN_GIGABYTES = 10_000_000_000;
const manifest = createManifest('mainnet', new Uint8Array(48).fill(1), {}).json;

function idOf(text: string): string {
  return toHex(hashLabel('SVC_LEAF_V1', new TextEncoder().encode(text)));
}

function addressOf(text: string): string {
  return `00${idOf(text)}`;
}

function addressText(text: string): string {
  return encodeAddress(Buffer.from(addressOf(text), 'hex'), 'mainnet');
}

function bodyWith(inputs: number, outputs: number, operation: object | null = null): Uint8Array {
  const request = {
    valid_from_height: '1',
    valid_until_height: '100',
    inputs: Array.from({ length: inputs }, (_, index) => ({
      transaction_id: idOf(`input ${index}`),
      output_index: '0',
    })),
    outputs: Array.from({ length: outputs }, (_, index) => ({
      address: addressText(`output ${index}`),
      amount: '1',
    })),
    payload_hex: '',
    ...(operation === null ? {} : { operation }),
  };
  return encodeTransactionBody(JSON.stringify(request), manifest);
}

function feeOf(quote: string): number {
  return Number((JSON.parse(quote) as { minimum_fee: string }).minimum_fee);
}

/** The least fee of a transaction of referenced inputs. */
function referencedFee(body: Uint8Array, hasOperation: boolean): number {
  const profiles = { inputs: ['referenced'], ...(hasOperation ? { operation: 'referenced' } : {}) };
  return feeOf(quoteTransactionWithInputProfiles(body, JSON.stringify(profiles), manifest));
}

async function bytesOf(store: MemoryStore): Promise<number> {
  let bytes = 0;
  for await (const entries of store.scan({ from: Uint8Array.of(0), to: Uint8Array.of(255) })) {
    for (const [key, value] of entries) bytes += key.length + value.length;
  }
  return bytes / SAMPLES;
}

async function outputBytes(): Promise<number> {
  const store = new MemoryStore();
  const outputs = Array.from({ length: SAMPLES }, (_, index) => ({
    outpoint: `${idOf(`transaction ${index}`)}00000000`,
    record: { address: addressOf(`${index}`), amount: 1n, source: 'regular', height: 1 } as const,
  }));
  await writeOutputsInBulk(store, outputs, { history: false });
  await rebuildOutputs(store);
  return bytesOf(store);
}

async function keyBytes(): Promise<number> {
  const store = new MemoryStore();
  const changes = Array.from({ length: SAMPLES }, (_, index) => ({
    table: 'keys' as const,
    key: idOf(`${index}`),
    before: undefined,
    after: { publicKey: new Uint8Array(1_952) },
  }));
  await writeRecordsInBulk(store, changes);
  await rebuildRecordTrees(store);
  return bytesOf(store);
}

async function positionBytes(): Promise<number> {
  const store = new MemoryStore();
  const changes = Array.from({ length: SAMPLES }, (_, index) => ({
    table: 'positions' as const,
    key: idOf(`${index}`),
    before: undefined,
    after: {
      kind: 'delegation' as const,
      validatorId: idOf('validator'),
      ownerAddress: addressOf(`owner ${index}`),
      rewardAddress: addressOf('rewards'),
      bonded: POSITION_MIN,
      unbonding: [],
      stood: [],
    },
  }));
  await writeRecordsInBulk(store, changes);
  await rebuildRecordTrees(store);
  return bytesOf(store);
}

/** A removed validator with the longest endpoint, which stays for good; its key is another record. */
async function removedBytes(): Promise<number> {
  const store = new MemoryStore();
  const changes = Array.from({ length: SAMPLES }, (_, index) => ({
    table: 'validators' as const,
    key: idOf(`${index}`),
    before: undefined,
    after: {
      status: 'removed' as const,
      ownerAddress: addressOf(`owner ${index}`),
      selfBondId: idOf(`bond ${index}`),
      consensusKey: { publicKey: new Uint8Array(1_952), keyHash: idOf(`key ${index}`) },
      pendingKey: null,
      endpoint: new Uint8Array(1_024),
      pendingEndpoint: null,
      commissionBps: 0,
      pendingCommission: null,
      stake: 0n,
      positionCount: 0,
      registeredEpoch: 1,
      eligibleFromEpoch: 3,
      heartbeatEpoch: 5,
      jailedUntilEpoch: 0,
      endHeight: 200_000,
      removedHeight: 200_000,
      removalBurned: SELF_BOND_MIN,
      slashableBonded: 0n,
      slashableUnbonding: 0n,
    },
  }));
  await writeRecordsInBulk(store, changes);
  await rebuildRecordTrees(store);
  return bytesOf(store);
}

/** Coins that ten gigabytes cost at so many atoms for so many bytes. */
function coinsFor(atoms: number, bytes: number): number {
  return Math.round(((TEN_GIGABYTES / bytes) * atoms) / Number(ATOMS_PER_COIN));
}

test('what outputs, keys and positions cost, and how large they are', async () => {
  const outputFee = referencedFee(bodyWith(1, 16), false) / 15;
  const keyFee = feeOf(quoteTransaction(bodyWith(8, 1), manifest)) / 8 + outputFee;
  const bond = {
    type: 'bond',
    data: {
      validator_id: idOf('validator'),
      owner_address: addressText('owner'),
      reward_address: addressText('owner'),
      amount: String(POSITION_MIN),
    },
  };
  const positionFee = referencedFee(bodyWith(1, 1, bond), true);
  const [output, key, position] = [await outputBytes(), await keyBytes(), await positionBytes()];
  assert.deepEqual(
    [output, key, position].map((bytes) => Math.round(bytes / 10) * 10),
    [510, 2_140, 440],
    'bytes in the store',
  );
  assert.deepEqual([outputFee, keyFee, positionFee].map(Math.round), [10_264, 94_253, 135_050]);
  assert.equal(coinsFor(outputFee, output), 2_018);
  assert.equal(coinsFor(keyFee, key), 4_396);
});

test('all coins there are, burned with removed validators, leave less than ten megabytes', async () => {
  const bytes = await removedBytes();
  assert.ok(bytes < 3_500, `${bytes} bytes in the store`);
  assert.ok(Number(MAX_SUPPLY / SELF_BOND_MIN) * bytes < 10_000_000);
});

test('all coins there are, in positions, are less than a gigabyte', async () => {
  const positions = Number(MAX_SUPPLY / POSITION_MIN);
  assert.ok(positions * (await positionBytes()) < 1_000_000_000);
});
