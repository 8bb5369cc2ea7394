import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { genesisState, type LedgerParameters, SINGLE_KEY } from 'svc-ledger';
import { init } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { decodeCutHeader } from 'svc-wasm/protocol';
import { BatchBuilder } from '../src/commit/batch-builder.ts';
import { pruneFilled } from '../src/commit/prune.ts';
import type { PastCut } from '../src/commit/write-past.ts';
import { writeState } from '../src/commit/write-state.ts';
import { FatalStorageError, StoreDamagedError, StoreFormatError } from '../src/errors.ts';
import type { LedgerStore } from '../src/ledger-store.ts';
import { openStoreOn } from '../src/open/open-store-on.ts';
import { readStoredCut, reindex } from '../src/reindex.ts';
import { RETENTION, type RetentionRule } from '../src/retention.ts';
import { exportSnapshot } from '../src/snapshot/export-snapshot.ts';
import { importSnapshot } from '../src/snapshot/import-snapshot.ts';
import { FaultyStore } from './testing/faulty-store.ts';
import {
  LADDER_GENESIS,
  LADDER_PARAMETERS,
  ladderInput,
  ladderPorts,
  stepLadder,
} from './testing/ladder-chain.ts';
import { ladderOptions, memoryLadder } from './testing/ladder-store.ts';
import { SyncWatch } from './testing/sync-watch.ts';

await init();

const HEIGHT = 30;
const archive = await memoryLadder(HEIGHT);

interface Changes {
  readonly rule?: RetentionRule;
  readonly parameters?: LedgerParameters;
}

/** A store that began with the state of the last cut. */
async function begun(changes: Changes = {}): Promise<{ disk: FaultyStore; store: LedgerStore }> {
  const disk = new FaultyStore();
  const { chainId } = ladderOptions();
  await importSnapshot(disk, exportSnapshot(archive), {
    chainId,
    mode: 'full',
    directory: temporaryDirectory(),
    checkCertificate: () => {},
  });
  return { disk, store: await openStoreOn(disk, { ...ladderOptions('full'), ...changes }) };
}

/** The cuts from one height down to another, as peers have them. */
async function cutsDown(from: number, to: number, withBlocks = true): Promise<PastCut[]> {
  const reader = archive.reader();
  const cuts: PastCut[] = [];
  for (let height = from; height >= to; height--) {
    const { header, body, certificate, registered } = await readStoredCut(reader, height);
    cuts.push({ header, body, certificate, blocks: withBlocks ? registered : null });
  }
  return cuts;
}

test('cuts below the first one are added downwards, and a store that was killed continues with the next', async () => {
  const { disk, store } = await begun();
  const parent = decodeCutHeader((await cutsDown(HEIGHT, HEIGHT))[0]?.header as Uint8Array);
  const before = HEIGHT - 1;
  assert.deepEqual(store.pastLink, { height: before, cutId: toHex(parent.parentCutId) });
  assert.deepEqual(store.filled, { bodiesFrom: HEIGHT + 1, certifiedFrom: HEIGHT });
  assert.equal(store.keepsPastBlocks(1), true);
  await store.fillPast(await cutsDown(before, 12));
  disk.writesLeft = 0;
  await assert.rejects(store.fillPast(await cutsDown(11, 5)), FatalStorageError);
  disk.writesLeft = Number.POSITIVE_INFINITY;

  const again = await openStoreOn(disk, ladderOptions('full'));
  assert.equal(again.pastLink?.height, 11);
  await again.fillPast(await cutsDown(11, 1));
  assert.equal(again.pastLink, undefined);
  assert.deepEqual(again.retention, {
    mode: 'full',
    firstHeight: 1,
    indexedFrom: HEIGHT + 1,
    blocksFrom: 1,
  });
  await assert.rejects(again.fillPast([]), /nothing is missing/);
  const [expected, found] = [archive.reader(), again.reader()];
  for (let height = 1; height <= HEIGHT; height++)
    assert.deepEqual(await readStored(found, height), await readStored(expected, height));
  assert.equal((await found.cutById((await expected.cut(7))?.cutId ?? ''))?.height, 7);
  assert.equal(await found.summary(7), undefined, 'nothing was executed');
});

test('cuts that are added are on the disk before the next ones are asked for', async () => {
  const { chainId } = ladderOptions();
  const disk = new SyncWatch();
  await importSnapshot(disk, exportSnapshot(archive), {
    chainId,
    mode: 'full',
    directory: temporaryDirectory(),
    checkCertificate: () => {},
  });
  const store = await openStoreOn(disk, ladderOptions('full'));
  disk.unsynced = [];
  await store.fillPast(await cutsDown(HEIGHT - 1, 12));
  assert.deepEqual(disk.unsynced, []);
});

/** Fills what is missing in steps of a few cuts, with a commit after each of the first ones. */
async function fillBesideCommits(store: LedgerStore): Promise<void> {
  while (store.pastLink !== undefined) {
    const { height } = store.pastLink;
    await store.fillPast(await cutsDown(height, Math.max(1, height - 6)));
    if ((store.head?.height ?? 0) < HEIGHT + 2) await stepLadder(store);
  }
}

test('killed at every write of its filling, a store continues with the next cut and ends with all of them', async () => {
  let kills = 0;
  for (let isWhole = false; !isWhole; kills++) {
    const { disk, store } = await begun();
    disk.writesLeft = kills;
    isWhole = await fillBesideCommits(store).then(
      () => true,
      (error: unknown) => {
        assert.ok(error instanceof FatalStorageError);
        return false;
      },
    );
    disk.writesLeft = Number.POSITIVE_INFINITY;
    const again = await openStoreOn(disk, ladderOptions('full'));
    await fillBesideCommits(again);
    assert.equal(again.retention.blocksFrom, 1);
    const [expected, found] = [archive.reader(), again.reader()];
    for (let height = 1; height <= HEIGHT; height++)
      assert.deepEqual(await readStored(found, height), await readStored(expected, height));
  }
  assert.ok(kills > 6, `there were ${kills} writes`);
});

/** A cut without its certificate, which only checkpoints keep. */
async function readStored(reader: ReturnType<LedgerStore['reader']>, height: number) {
  const { certificate: _, ...cut } = await readStoredCut(reader, height);
  return cut;
}

test('a store continues with the chain while it is filled, and can then be executed again from the genesis', async () => {
  const { store } = await begun();
  await store.fillPast(await cutsDown(HEIGHT - 1, 10));
  const { height } = await stepLadder(store);
  await store.fillPast(await cutsDown(9, 1));
  assert.equal(height, HEIGHT + 1);
  const { disk, store: executed } = await emptyStore();
  await reindex(store.reader(), executed, {
    genesis: genesisState(ladderPorts(executed), LADDER_GENESIS),
    ports: ladderPorts(executed),
    inputOf: (cut) => ladderInput(cut.height),
  });
  assert.deepEqual(executed.head, store.head);
  assert.equal(executed.retention.indexedFrom, 1);
  assert.equal(disk.writesLeft, Number.POSITIVE_INFINITY);
});

async function emptyStore() {
  const disk = new FaultyStore();
  return { disk, store: await openStoreOn(disk, ladderOptions('full')) };
}

test('a cut that the one after it does not name is not written', async () => {
  const { store } = await begun();
  await assert.rejects(store.fillPast(await cutsDown(HEIGHT - 2, 20)), /is not the one/);
  const [first, ...rest] = await cutsDown(HEIGHT - 1, 20);
  const torn = [first as PastCut, ...rest.slice(1)];
  await assert.rejects(store.fillPast(torn), /is not the one/);
  assert.equal(store.pastLink?.height, HEIGHT - 1);
  assert.equal(await store.reader().cutBody(HEIGHT - 1), undefined);
});

test('old blocks are left out, and a store never claims blocks below a gap', async () => {
  const blockCuts = 15;
  const rule = { indexedCuts: Number.POSITIVE_INFINITY, blockCuts };
  const { store } = await begun({ rule });
  const oldest = HEIGHT - blockCuts;
  assert.deepEqual(
    [store.keepsPastBlocks(oldest + 1), store.keepsPastBlocks(oldest)],
    [true, false],
  );
  await store.fillPast(await cutsDown(HEIGHT - 1, oldest + 1));
  assert.equal(store.retention.blocksFrom, oldest + 1);
  await store.fillPast(await cutsDown(oldest, 3, false));
  assert.equal(store.keepsPastBlocks(2), false);
  await store.fillPast(await cutsDown(2, 1));
  assert.equal(store.retention.blocksFrom, oldest + 1);
  assert.equal(store.filled.bodiesFrom, 1);
});

test('checkpoints alone keep certificates, and a store never claims cuts below one that lacks its own', async () => {
  const { store } = await begun({ parameters: { ...LADDER_PARAMETERS, interval: 10 } });
  await store.fillPast(await cutsDown(HEIGHT - 1, 15));
  const reader = store.reader();
  const heights = [HEIGHT - 1, 20, 19];
  const certificates = await Promise.all(heights.map((height) => reader.certificate(height)));
  assert.deepEqual(
    certificates.map((certificate) => certificate !== undefined),
    [false, true, false],
  );
  const last = async (from: number, to: number) => (await reader.lastCertificate(from, to))?.height;
  const ends = [HEIGHT, HEIGHT + 100, HEIGHT - 1, 20, 19];
  assert.deepEqual(await Promise.all(ends.map((end) => last(15, end))), [
    HEIGHT,
    HEIGHT,
    20,
    20,
    undefined,
  ]);
  const [, atTwenty] = certificates;
  assert.deepEqual(await reader.lastCertificate(20, 20), { height: 20, certificate: atTwenty });
  assert.deepEqual(
    [await last(21, HEIGHT - 1), await last(HEIGHT + 1, 99)],
    [undefined, undefined],
  );
  assert.equal(store.filled.certifiedFrom, 15);
  const bare = (await cutsDown(14, 9)).map((cut) => ({ ...cut, certificate: null }));
  await store.fillPast(bare);
  await store.fillPast(await cutsDown(8, 1));
  assert.deepEqual(store.filled, { bodiesFrom: 1, certifiedFrom: 15 });
});

test('an archive needs histories from the genesis on, not only cuts', async () => {
  const { disk, store } = await begun();
  await store.fillPast(await cutsDown(HEIGHT - 1, 1));
  await assert.rejects(openStoreOn(disk, ladderOptions('archive')), StoreFormatError);
});

test('bodies that were filled in leave with their blocks once a store is pruned', () => {
  const retention = { mode: 'pruned', firstHeight: 1, indexedFrom: 9, blocksFrom: 6 } as const;
  let filled = { bodiesFrom: 1, certifiedFrom: 1 };
  const deleted: number[] = [];
  for (let commit = 0; commit < 3; commit++) {
    const batch = new BatchBuilder();
    filled = pruneFilled(batch, filled, retention, RETENTION.pruned);
    deleted.push(batch.operations.length);
  }
  assert.deepEqual(deleted, [4, 1, 0]);
  assert.equal(filled.bodiesFrom, 6);
  assert.equal(pruneFilled(new BatchBuilder(), filled, retention, RETENTION.full), filled);
});

test('a pruned store wants nothing below its first cut', async () => {
  const { disk } = await begun();
  const store = await openStoreOn(disk, ladderOptions('pruned'));
  assert.equal(store.pastLink, undefined);
});

test('peaks that the header of the head does not commit to are refused, of a snapshot and at a start', async () => {
  const store = await memoryLadder(HEIGHT);
  const { peaks } = store.view.get('pastCuts', SINGLE_KEY) ?? { peaks: [] };
  const [first, ...rest] = peaks;
  const other = (first as Uint8Array).map((byte) => byte ^ 1);
  for (const after of [{ peaks: [other, ...rest] }, { peaks: rest }, undefined]) {
    const batch = new BatchBuilder();
    writeState(batch, [{ table: 'pastCuts', key: SINGLE_KEY, before: { peaks }, after }]);
    await store.keyValues.write(batch.operations, { sync: true });
    const imported = importSnapshot(new FaultyStore(), exportSnapshot(store), {
      chainId: store.chainId,
      mode: 'full',
      directory: temporaryDirectory(),
      checkCertificate: () => {},
    });
    await assert.rejects(imported, isOfOtherPeaks);
    await assert.rejects(openStoreOn(store.keyValues, ladderOptions()), isOfOtherPeaks);
  }
});

function isOfOtherPeaks(error: unknown): boolean {
  return error instanceof StoreDamagedError && /the peaks of earlier cuts/.test(error.message);
}
