import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFilesIn, type TestEnd, temporaryDirectory } from 'svc-base/testing';
import type { TreeName } from 'svc-ledger';
import { init } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { packed, unpacked } from '../src/codec/codec.ts';
import { Packer } from '../src/codec/packer.ts';
import { STATE_CODECS } from '../src/codec/state-records.ts';
import { StateRefusedError, StoreUnavailableError } from '../src/errors.ts';
import { ChecksummedStore } from '../src/key-value/checksummed-store.ts';
import type { Entry, KeyValueReader } from '../src/key-value/key-value-store.ts';
import { MemoryStore } from '../src/key-value/memory-store.ts';
import { LAYOUT, rangeOf, type StoreTable } from '../src/layout.ts';
import type { LedgerStore } from '../src/ledger-store.ts';
import { openStore } from '../src/open/open-store.ts';
import { openStoreOn } from '../src/open/open-store-on.ts';
import { expectManifest, expectRange, treeOfRange } from '../src/ranges/check-manifest.ts';
import { importRanges } from '../src/ranges/import-ranges.ts';
import { decodeRecords, encodeRecords } from '../src/ranges/range-records.ts';
import { StateFiles } from '../src/ranges/state-files.ts';
import {
  contentHash,
  decodeManifest,
  encodeManifest,
  type StateManifest,
} from '../src/ranges/state-manifest.ts';
import { planState, writeState } from '../src/ranges/write-ranges.ts';
import type { ImportOptions } from '../src/snapshot/state-import.ts';
import { FaultyStore } from './testing/faulty-store.ts';
import { stepLadder } from './testing/ladder-chain.ts';
import { ladderOptions, ladderRoots, memoryLadder } from './testing/ladder-store.ts';

await init();

const HEIGHT = 40;
/** Small enough for several ranges in each tree that has leaves. */
const FEW: Readonly<Record<TreeName, number>> = {
  outputs: 16,
  positions: 2,
  validators: 2,
  keys: 2,
};
const MANY: Readonly<Record<TreeName, number>> = {
  outputs: 8_192,
  positions: 8_192,
  validators: 8_192,
  keys: 8_192,
};

interface Written {
  readonly directory: string;
  readonly files: StateFiles;
  readonly header: Uint8Array;
  readonly certificate: Uint8Array;
  readonly ranges: readonly Uint8Array[];
}

async function written(
  t: TestEnd,
  store: LedgerStore,
  leavesMax: Readonly<Record<TreeName, number>>,
  giveWay?: () => Promise<void>,
): Promise<Written> {
  const directory = temporaryDirectory(t);
  const reader = store.reader();
  const cut = await reader.cut(reader.head.height);
  const certificate = await reader.certificate(reader.head.height);
  assert.ok(cut !== undefined && certificate !== undefined);
  await writeState(planState(store, { leavesMax }), directory, giveWay);
  const files = await StateFiles.open(directory);
  assert.ok(files !== undefined);
  t.after(() => void files.close());
  const ranges: Uint8Array[] = [];
  for (let index = 0; index < files.manifest.ranges.length; index++)
    ranges.push((await files.range(index)) ?? assert.fail(`range ${index}`));
  return { directory, files, header: cut.header, certificate, ranges };
}

function isSound(bytes: Uint8Array, header: Uint8Array, ranges: readonly Uint8Array[]): boolean {
  try {
    const manifest = decodeManifest(bytes);
    expectManifest(manifest, header);
    for (const [index, range] of ranges.entries()) expectRange(manifest, index, range);
    return manifest.ranges.length === ranges.length;
  } catch (error) {
    assert.ok(error instanceof StateRefusedError, String(error));
    return false;
  }
}

/** A manifest that names other bytes for one range, as a liar would make it. */
function renamed(manifest: StateManifest, index: number, bytes: Uint8Array): StateManifest {
  const ranges = manifest.ranges.map((range, at) =>
    at === index ? { length: bytes.length, hash: contentHash(bytes) } : range,
  );
  return { ...manifest, ranges };
}

/** The manifest with the only thing in it that no root commits taken out; peers have to agree on that. */
function withoutAttendance(manifest: StateManifest): StateManifest {
  const totals = manifest.totals.map(([key, value]): Entry => {
    if (key[0] !== LAYOUT.epoch.prefix) return [key, value];
    const epoch = unpacked(STATE_CODECS.epoch, value, 'epoch');
    return [key, packed(new Packer(), STATE_CODECS.epoch, { ...epoch, attendance: [] })];
  });
  return { ...manifest, totals };
}

/** What can be done to the records of a range, each of which changes a leaf or their set. */
function wrongRecords(entries: readonly Entry[], foreign: Entry): Entry[][] {
  const [first] = entries as [Entry];
  const changedValue = Buffer.from(first[1]);
  changedValue[0] = (changedValue[0] as number) ^ 1;
  const changedKey = Buffer.from(first[0]);
  changedKey[5] = (changedKey[5] as number) ^ 1;
  return [
    entries.slice(1),
    entries.slice(0, -1),
    [...entries, first],
    [...entries, foreign],
    [foreign, ...entries],
    [[first[0], changedValue], ...entries.slice(1)],
    [[changedKey, first[1]], ...entries.slice(1)],
    ...(entries.length > 1 ? [[...entries].reverse()] : []),
  ];
}

test('ranges that are all there become a store that continues with the same roots', async (t) => {
  const roots = await ladderRoots(HEIGHT + 12);
  for (const leavesMax of [FEW, MANY]) {
    const { files, header, certificate } = await written(t, await memoryLadder(HEIGHT), leavesMax);
    expectManifest(files.manifest, header);
    const disk = new MemoryStore();
    const options = importOptions(temporaryDirectory(t));
    const head = await importRanges(disk, files, { header, certificate }, options);
    assert.equal(head.height, HEIGHT);
    const store = await openStoreOn(disk, ladderOptions('full'));
    while ((store.head?.height ?? 0) < HEIGHT + 12) {
      const { height, stateRoot } = await stepLadder(store);
      assert.equal(stateRoot, roots[height]);
    }
  }
});

test('a store of ranges has the tables of the store that they came from', async (t) => {
  const source = await memoryLadder(HEIGHT);
  const { files, header, certificate } = await written(t, source, FEW);
  const directory = temporaryDirectory(t);
  const disk = await ChecksummedStore.open(join(directory, 'db'));
  await importRanges(disk, files, { header, certificate }, importOptions(directory));
  for (const table of ['outputs', 'unspent', 'balances', 'buckets', 'ownedPositions'] as const) {
    const found = await tableOf(disk, table);
    assert.ok(found.length > 0, `${table} has records`);
    assert.deepEqual(found, await tableOf(source.keyValues, table), table);
  }
  await disk.close();
  assert.deepEqual(readdirSync(directory).sort(), ['db', 'trees']);
  const store = await openStore({ ...ladderOptions('full'), directory });
  assert.equal(store.head?.stateRoot, source.head?.stateRoot);
  await stepLadder(store);
  await store.close();
});

test('the head of an imported store is written once everything else is in tables, which are on the disk', async (t) => {
  const { files, header, certificate } = await written(t, await memoryLadder(HEIGHT), FEW);
  const directory = temporaryDirectory(t);
  const database = join(directory, 'db');
  const disk = await ChecksummedStore.open(database);
  await importRanges(disk, files, { header, certificate }, importOptions(directory));
  await disk.close();
  const logged = readdirSync(database).filter((name) => name.endsWith('.log'));
  const bytes = logged.map((name) => statSync(join(database, name)).size);
  assert.equal(bytes.length, 1);
  assert.ok(
    bytes.every((some) => some < 1_000),
    `logs of ${bytes.join()} bytes`,
  );
});

test('killed at every write of an import, a store cannot be opened, and the next import fills another', async (t) => {
  const { files, header, certificate } = await written(t, await memoryLadder(HEIGHT), FEW);
  const directory = temporaryDirectory(t);
  let kills = 0;
  for (let isWhole = false; !isWhole; kills++) {
    const disk = new FaultyStore();
    disk.writesLeft = kills;
    const importing = importRanges(disk, files, { header, certificate }, importOptions(directory));
    isWhole = await importing.then(
      () => true,
      () => false,
    );
    disk.writesLeft = Number.POSITIVE_INFINITY;
    if (isWhole) await openStoreOn(disk, ladderOptions('full'));
    else if (kills > 0)
      await assert.rejects(openStoreOn(disk, ladderOptions('full')), /import was not finished/);
    // What a killed process leaves of its files is worth nothing to the next.
    writeFileSync(join(directory, 'outputs.unsorted'), 'rest');
  }
  assert.ok(kills > 20, `there were ${kills} writes`);
});

test('outputs that are out of order are refused with words', async (t) => {
  const { files, header, certificate } = await written(t, await memoryLadder(HEIGHT), MANY);
  const swapped = new Proxy(files, {
    get: (target, name) =>
      name === 'range'
        ? async (index: number) => {
            const records = decodeRecords((await target.range(index)) ?? assert.fail());
            return encodeRecords(records.toReversed());
          }
        : Reflect.get(target, name, target),
  });
  const options = importOptions(temporaryDirectory(t));
  await assert.rejects(
    importRanges(new MemoryStore(), swapped, { header, certificate }, options),
    /out of order; get it anew|not of its cut/,
  );
});

function importOptions(directory: string): ImportOptions {
  const { chainId } = ladderOptions();
  return { chainId, mode: 'full', directory, runBytes: 2_000, checkCertificate: () => {} };
}

async function tableOf(reader: KeyValueReader, table: StoreTable): Promise<string[]> {
  const found: string[] = [];
  for await (const entries of reader.scan(rangeOf(table)))
    for (const [key, value] of entries) found.push(`${toHex(key)} ${toHex(value)}`);
  return found;
}

test('the state of a cut is written as it was while later cuts are committed', async (t) => {
  const quiet = await written(t, await memoryLadder(HEIGHT), FEW);
  const store = await memoryLadder(HEIGHT);
  const busy = await written(t, store, FEW, async () => void (await stepLadder(store)));
  assert.ok((store.head?.height ?? 0) > HEIGHT + 4, 'cuts were committed meanwhile');
  assert.equal(busy.files.id, quiet.files.id);
  assert.deepEqual(busy.ranges, quiet.ranges);
});

test('a state of which too much has changed is abandoned', async (t) => {
  const store = await memoryLadder(HEIGHT);
  const plan = planState(store, { leavesMax: FEW, keptRecordsMax: 20 });
  const step = async (): Promise<void> => void (await stepLadder(store));
  await assert.rejects(writeState(plan, temporaryDirectory(t), step), StoreUnavailableError);
  await stepLadder(store);
});

test('a range with a changed, dropped, added or moved record is refused, whatever the manifest names', async (t) => {
  const { files, header, ranges } = await written(t, await memoryLadder(HEIGHT), FEW);
  const { manifest } = files;
  let refused = 0;
  for (const [index, bytes] of ranges.entries()) {
    if (treeOfRange(manifest, index) === undefined) continue;
    const entries = decodeRecords(bytes);
    const other = decodeRecords(ranges[index === ranges.length - 1 ? 1 : index + 1] as Uint8Array);
    for (const wrong of wrongRecords(entries, other[0] as Entry)) {
      const sent = encodeRecords(wrong);
      assert.throws(() => expectRange(manifest, index, sent), StateRefusedError);
      const lying = renamed(manifest, index, sent);
      expectManifest(lying, header);
      assert.throws(() => expectRange(lying, index, sent), StateRefusedError, `range ${index}`);
      refused++;
    }
  }
  assert.ok(refused > 50, `${refused} cases`);
});

test('a manifest of which a byte has become corrupt on the disk is not offered', async (t) => {
  const { directory } = await written(t, await memoryLadder(HEIGHT), FEW);
  const path = join(directory, 'manifest');
  const stored = readFileSync(path);
  for (let at = 0; at < stored.length; at += 17) {
    writeFileSync(path, stored.with(at, (stored[at] as number) ^ (1 << (at % 8))));
    await assert.rejects(StateFiles.open(directory), /manifest is not what was written/);
  }
});

test('no byte of ranges, and none of the manifest but attendance, can be changed, and no range moved', async (t) => {
  const { files, header, ranges } = await written(t, await memoryLadder(HEIGHT), FEW);
  const bytes = files.manifestBytes;
  assert.ok(isSound(bytes, header, ranges));
  let refused = 0;
  for (let at = 0; at < bytes.length; at += 37) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ (1 << (at % 8));
    if (isSound(changed, header, ranges))
      assert.deepEqual(
        withoutAttendance(decodeManifest(changed)),
        withoutAttendance(files.manifest),
        `byte ${at} of the manifest`,
      );
    else refused++;
  }
  assert.ok(refused > 30, `${refused} changes`);
  for (const [index, range] of ranges.entries()) {
    const changed = Buffer.from(range);
    const at = (index * 131) % changed.length;
    changed[at] = (changed[at] as number) ^ 1;
    const sent = ranges.map((one, place) => (place === index ? changed : one));
    assert.ok(!isSound(bytes, header, sent), `byte ${at} of range ${index}`);
  }
  assert.ok(!isSound(bytes, header, [...ranges.slice(1), ranges[0] as Uint8Array]));
  assert.ok(!isSound(bytes, header, ranges.slice(1)));
  assert.ok(!isSound(bytes, header, [...ranges, ranges[0] as Uint8Array]));
  assert.ok(!isSound(bytes.subarray(0, -1), header, ranges));
});

test('a manifest with other subtrees, partings or totals is refused', async (t) => {
  const { files, header } = await written(t, await memoryLadder(HEIGHT), FEW);
  const { manifest } = files;
  const { trees } = manifest;
  const { subtrees, partings } = trees.outputs;
  assert.ok(subtrees.length > 3, 'the outputs have several ranges');
  const withOutputs = (outputs: StateManifest['trees']['outputs']): StateManifest => ({
    ...manifest,
    trees: { ...trees, outputs },
  });
  const wrong: StateManifest[] = [
    withOutputs({ subtrees: subtrees.slice(1), partings: partings.slice(1) }),
    withOutputs({ subtrees: subtrees.slice(0, -1), partings: partings.slice(0, -1) }),
    withOutputs({ subtrees: [...subtrees].reverse(), partings }),
    withOutputs({ subtrees, partings: partings.map((bit) => bit + 1) }),
    withOutputs({ subtrees, partings: partings.map(() => 0) }),
    withOutputs({ subtrees: [], partings: [] }),
    { ...manifest, totals: manifest.totals.slice(1) },
    { ...manifest, totals: [...manifest.totals, manifest.totals[0] as Entry] },
    { ...manifest, totals: [] },
    { ...manifest, height: manifest.height + 1 },
    { ...manifest, cutId: '00'.repeat(48) },
  ];
  expectManifest(decodeManifest(encodeManifest(manifest)), header);
  for (const [index, one] of wrong.entries())
    assert.throws(() => expectManifest(one, header), StateRefusedError, `case ${index}`);
});

test('a folder that cannot be read, or begun, leaves none of its files open', async (t) => {
  const garbage = Buffer.from('SVCSTAT1 and then garbage');
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, 'ranges'), 'ranges');
  writeFileSync(join(directory, 'manifest'), garbage);
  await assert.rejects(StateFiles.open(directory), StateRefusedError);
  assert.deepEqual(openFilesIn(directory), []);
  await assert.rejects(StateFiles.create(directory, garbage), StateRefusedError);
  assert.deepEqual(openFilesIn(directory), []);
  const { files } = await written(t, await memoryLadder(HEIGHT), FEW);
  mkdirSync(join(directory, 'manifest.new'));
  await assert.rejects(StateFiles.create(directory, files.manifestBytes));
  assert.deepEqual(openFilesIn(directory), [], 'the manifest could not be written');
});

test('a folder without ranges is not there', async (t) => {
  const { directory } = await written(t, await memoryLadder(HEIGHT), FEW);
  rmSync(join(directory, 'ranges'));
  assert.equal(await StateFiles.open(directory), undefined);
});

test('a folder knows which ranges it lacks, also after a kill in the middle of a range', async (t) => {
  const { files, ranges } = await written(t, await memoryLadder(HEIGHT), FEW);
  const directory = temporaryDirectory(t);
  const first = await StateFiles.create(directory, files.manifestBytes);
  const all = ranges.map((_, index) => index);
  assert.deepEqual(await first.missing(), all);
  await first.put(3, ranges[3] as Uint8Array);
  await first.put(1, ranges[1] as Uint8Array);
  await assert.rejects(first.put(2, ranges[1] as Uint8Array), StateRefusedError);
  await first.close();
  const again = await StateFiles.open(directory);
  assert.ok(again !== undefined);
  assert.deepEqual(
    await again.missing(),
    all.filter((index) => index !== 1 && index !== 3),
  );
  for (const index of all) await again.put(index, ranges[index] as Uint8Array);
  assert.deepEqual(await again.missing(), []);
  await again.close();
  const torn = Buffer.concat(ranges);
  writeFileSync(join(directory, 'ranges'), torn.subarray(0, -10));
  const third = await StateFiles.open(directory);
  assert.deepEqual(await third?.missing(), [ranges.length - 1]);
  await third?.close();
});
