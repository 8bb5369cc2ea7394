import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { type CutInput, genesisState } from 'svc-ledger';
import { init } from 'svc-wasm';
import { decodeCutHeader } from 'svc-wasm/protocol';
import { FatalStorageError, StoreDamagedError, StoreFormatError } from '../src/errors.ts';
import { MemoryStore } from '../src/key-value/memory-store.ts';
import type { LedgerStore } from '../src/ledger-store.ts';
import { openStoreOn } from '../src/open/open-store-on.ts';
import { reindex } from '../src/reindex.ts';
import { exportSnapshot } from '../src/snapshot/export-snapshot.ts';
import { importSnapshot } from '../src/snapshot/import-snapshot.ts';
import type { ImportOptions } from '../src/snapshot/state-import.ts';
import { FaultyStore } from './testing/faulty-store.ts';
import {
  LADDER_GENESIS,
  ladderAddress,
  ladderInput,
  ladderPorts,
  stepLadder,
} from './testing/ladder-chain.ts';
import { climb, ladderOptions, ladderRoots, memoryLadder } from './testing/ladder-store.ts';

const HEIGHT = 112;

await init();

async function* chunksOf(parts: readonly Uint8Array[], size: number): AsyncGenerator<Uint8Array> {
  const all = Buffer.concat(parts);
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
}

async function snapshotOf(store: LedgerStore): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  for await (const part of exportSnapshot(store)) parts.push(new Uint8Array(part));
  return parts;
}

function importOptions(): ImportOptions {
  const { chainId } = ladderOptions();
  return { chainId, mode: 'full', directory: temporaryDirectory(), checkCertificate: () => {} };
}

async function expectRoots(store: LedgerStore, roots: readonly string[]): Promise<void> {
  while ((store.head?.height ?? 0) < HEIGHT) {
    const { height, stateRoot } = await stepLadder(store);
    assert.equal(stateRoot, roots[height], `height ${height}`);
  }
}

test('replay from the genesis gives the same root at every height', async () => {
  const archive = await memoryLadder(HEIGHT);
  const reader = archive.reader();
  const store = await openStoreOn(new MemoryStore(), ladderOptions());
  const genesis = genesisState(ladderPorts(store), LADDER_GENESIS);
  const seen: string[] = [store.head?.stateRoot ?? ''];
  await reindex(reader, store, {
    genesis,
    ports: ladderPorts(store),
    inputOf: ({ height, executed }) => {
      const input = ladderInput(height);
      assert.deepEqual(
        executed.map(({ id }) => id),
        input.executed.map(({ id }) => id),
      );
      return input;
    },
    onCut: () => seen.push(store.head?.stateRoot ?? ''),
  });
  const roots = await ladderRoots(HEIGHT);
  assert.deepEqual(seen.slice(1), roots.slice(1, HEIGHT + 1));
  const all = { from: Uint8Array.of(0), to: Uint8Array.of(255), limit: 1e9 };
  assert.deepEqual(await store.keyValues.range(all), await archive.keyValues.range(all));
});

test('a replay whose roots differ from the headers stops', async () => {
  const archive = await memoryLadder(20);
  const store = await openStoreOn(new MemoryStore(), ladderOptions());
  const replay = reindex(archive.reader(), store, {
    genesis: genesisState(ladderPorts(store), LADDER_GENESIS),
    ports: ladderPorts(store),
    inputOf: ({ height }) =>
      height === 12
        ? { ...ladderInput(height), executed: otherBlocks(height) }
        : ladderInput(height),
  });
  await assert.rejects(replay, StoreDamagedError);
});

/** The blocks of a cut, whose first payment goes to another address. */
function otherBlocks(height: number): CutInput['executed'] {
  return ladderInput(height).executed.map(({ id, transactions }) => ({
    id,
    transactions: transactions.map((transaction) => ({
      ...transaction,
      outputs: transaction.outputs.map((output) => ({
        ...output,
        address: ladderAddress('another address'),
      })),
    })),
  }));
}

test('a store from a snapshot gives the same root at every height', async () => {
  const roots = await ladderRoots(HEIGHT);
  for (const height of [1, 13, 60, 100]) {
    const parts = await snapshotOf(await memoryLadder(height));
    const disk = new MemoryStore();
    const head = await importSnapshot(disk, chunksOf(parts, 1_000), importOptions());
    assert.equal(head.height, height);
    const store = await openStoreOn(disk, ladderOptions('full'));
    assert.equal(store.head?.stateRoot, roots[height]);
    assert.equal(store.retention.firstHeight, height);
    await expectRoots(store, roots);
  }
});

test('a store continues from every whole cut after a crash with the same roots', async () => {
  const roots = await ladderRoots(HEIGHT);
  const disk = new FaultyStore();
  let store = await memoryLadder(0, disk);
  for (let height = 1; height <= HEIGHT; height += 9) {
    await climb(store, height);
    disk.writesLeft = height % 2;
    await assert.rejects(stepLadder(store), FatalStorageError);
    disk.writesLeft = Number.POSITIVE_INFINITY;
    store = await openStoreOn(disk, ladderOptions());
    assert.equal(store.head?.height, height);
    assert.equal(store.head?.stateRoot, roots[height]);
  }
  await expectRoots(store, roots);
});

test('a snapshot is bound to its cut, chain and certificate', async () => {
  const parts = await snapshotOf(await memoryLadder(14));
  const into = (chunks: AsyncIterable<Uint8Array>, options = importOptions()) =>
    importSnapshot(new MemoryStore(), chunks, options);
  const whole = Buffer.concat(parts);
  for (const at of [3, 9, 200, 700, whole.length >> 1, whole.length - 60, whole.length - 3]) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] as number) ^ 1;
    await assert.rejects(into(chunksOf([changed], 4_096)), `byte ${at}`);
  }
  await assert.rejects(into(chunksOf([whole.subarray(0, -1)], 999)), StoreDamagedError);
  await assert.rejects(into(chunksOf([whole, Buffer.of(0)], 999)), StoreDamagedError);
  const other = { ...importOptions(), chainId: '11'.repeat(48) };
  await assert.rejects(into(chunksOf(parts, 999), other), StoreFormatError);
  const refuse = (header: Uint8Array) => {
    throw new Error(`no quorum at ${decodeCutHeader(header).height}`);
  };
  await assert.rejects(
    into(chunksOf(parts, 999), { ...importOptions(), checkCertificate: refuse }),
    /no quorum at 14/,
  );
});

test('an import that was broken off leaves nothing that could be opened', async () => {
  const parts = await snapshotOf(await memoryLadder(14));
  const disk = new MemoryStore();
  const cut = Buffer.concat(parts).subarray(0, -60);
  await assert.rejects(importSnapshot(disk, chunksOf([cut], 999), importOptions()));
  await disk.write([{ type: 'put', key: Uint8Array.of(0x10, 1), value: new Uint8Array(1) }]);
  await assert.rejects(openStoreOn(disk, ladderOptions('full')), /import was not finished/);
  await assert.rejects(
    importSnapshot(disk, chunksOf(parts, 999), importOptions()),
    /import was not finished/,
  );
});
