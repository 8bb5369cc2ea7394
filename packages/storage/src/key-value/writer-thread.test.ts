import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { equalBytes, toHex } from 'svc-wasm/base';
import { BodyStore } from '../bodies/body-store.ts';
import { withChecksum } from '../codec/checksum.ts';
import { LAYOUT } from '../layout.ts';
import { ChecksummedStore } from './checksummed-store.ts';
import { GatheringStore } from './gathering-store.ts';
import { KeptRecords } from './kept-records.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { LevelStore } from './level-store.ts';
import { MemoryStore } from './memory-store.ts';
import type { PackedRecords } from './packed-records.ts';
import { WriterThread } from './writer-thread.ts';

await init();

const EVERYTHING = { from: Uint8Array.of(0), to: Uint8Array.of(255) };
/** Enough for a megabyte of a group, with records that are replaced and deleted. */
const RECORDS = 3_000;
const VALUE_BYTES = 600;
const SYNCED = { sync: true };
const BODY_BYTES = 10_000;

function keyOf(number: number): Uint8Array {
  const key = new Uint8Array(6).fill(LAYOUT.statuses.prefix, 0, 1);
  new DataView(key.buffer).setUint32(1, number);
  return key;
}

function bodyKey(id: number): Uint8Array {
  return new Uint8Array(49).fill(id).fill(LAYOUT.blockBodies.prefix, 0, 1);
}

function body(id: number): { type: 'put'; key: Uint8Array; value: Uint8Array } {
  const value = withChecksum(bodyKey(id), new Uint8Array(BODY_BYTES).fill(id));
  return { type: 'put', key: bodyKey(id), value };
}

/** A database whose thread writes, as a chain's is opened. */
async function openGathering(directory: string): Promise<GatheringStore> {
  const level = await LevelStore.open(directory, { hasWriter: true });
  return new GatheringStore(new ChecksummedStore(await BodyStore.open(level, directory)));
}

function isEqual(found: Uint8Array | undefined, expected: Uint8Array): boolean {
  return found !== undefined && equalBytes(found, expected);
}

/** All records as one text. */
async function all(store: KeyValueStore): Promise<string> {
  const found: string[] = [];
  for await (const entries of store.scan(EVERYTHING))
    for (const [key, value] of entries) found.push(`${toHex(key)} ${toHex(value)}`);
  return found.join('\n');
}

function packedOf(...entries: (readonly [Uint8Array, Uint8Array | undefined])[]): PackedRecords {
  const kept = new KeptRecords();
  for (const [key, value] of entries) kept.append(key, value);
  kept.keepAppended();
  return kept.packed();
}

/** Keeps a group that is large enough for the thread in a store and in its model. */
async function keepGroup(stores: readonly KeyValueStore[], first: number): Promise<void> {
  for (const store of stores) {
    const batch = store.batch({ mayWait: true });
    for (let number = first; number < first + RECORDS; number++)
      batch.put(keyOf(number), new Uint8Array(VALUE_BYTES).fill(number));
    for (let number = first; number < first + RECORDS; number += 3)
      batch.put(keyOf(number), Uint8Array.of(number));
    for (let number = first; number < first + RECORDS; number += 7) batch.delete(keyOf(number));
    await batch.write({ sync: false });
  }
}

test('what a thread has written reads as what was put one by one, also after the store was opened again', async (t: TestContext) => {
  const directory = temporaryDirectory(t);
  const model = new MemoryStore();
  let store = await openGathering(directory);
  for (const first of [0, RECORDS / 2, RECORDS / 4]) {
    await keepGroup([store, model], first);
    assert.ok(store.keptBytes > 1 << 20);
    await store.flush();
    assert.equal(store.keptBytes, 0);
    assert.ok((await all(store)) === (await all(model)));
  }
  await store.close();
  store = await openGathering(directory);
  try {
    assert.ok((await all(store)) === (await all(model)));
  } finally {
    await store.close();
  }
});

test('bodies that a large group deletes go, and bodies beside it are named with it', async (t: TestContext) => {
  const directory = temporaryDirectory(t);
  const store = await openGathering(directory);
  await store.write([body(1), body(2)], SYNCED);
  await keepGroup([store], 0);
  const batch = store.batch({ mayWait: true });
  batch.delete(bodyKey(1));
  await batch.write({ sync: false });
  await store.writeBeside([body(3)]);
  await store.flush();
  await store.close();
  const opened = await ChecksummedStore.open(directory);
  try {
    assert.equal(opened.getSync(bodyKey(1)), undefined);
    for (const id of [2, 3]) assert.ok(isEqual(opened.getSync(bodyKey(id)), body(id).value));
    assert.ok(isEqual(opened.getSync(keyOf(1)), new Uint8Array(VALUE_BYTES).fill(1)));
  } finally {
    await opened.close();
  }
});

test('others of a batch come after its packed records, and packed records before all others', async (t: TestContext) => {
  const store = await LevelStore.open(temporaryDirectory(t), { hasWriter: true });
  try {
    const batch = store.batch();
    const [replaced, deleted] = [Uint8Array.of(1), Uint8Array.of(2)];
    batch.putAll?.(packedOf([replaced, Uint8Array.of(7)], [deleted, Uint8Array.of(7)]));
    batch.put(replaced, Uint8Array.of(8));
    batch.delete(deleted);
    await batch.write(SYNCED);
    assert.ok(isEqual(store.getSync(replaced), Uint8Array.of(8)));
    assert.equal(store.getSync(deleted), undefined);
    const begun = store.batch();
    begun.put(replaced, Uint8Array.of(9));
    assert.throws(() => begun.putAll?.(packedOf()), /has begun/);
  } finally {
    await store.close();
  }
});

test('a store without a thread takes records one by one', async (t: TestContext) => {
  const store = await LevelStore.open(temporaryDirectory(t));
  try {
    assert.equal(store.batch().putAll, undefined);
  } finally {
    await store.close();
  }
});

test('a batch that cannot be written is refused with the reason', async (t: TestContext) => {
  const writer = new WriterThread(join(temporaryDirectory(t), 'nothing'));
  const records = packedOf([Uint8Array.of(1), Uint8Array.of(1)]);
  await assert.rejects(writer.write(records, [], SYNCED), /failed to open/);
  await writer.close();
});
