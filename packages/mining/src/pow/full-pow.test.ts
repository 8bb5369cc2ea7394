import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Log, type LogFields, SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { encodeBlockHeader } from 'svc-wasm/protocol';
import type { SharedDataset } from './dataset-maker.ts';
import { FullPow } from './full-pow.ts';
import { LightPow } from './light-pow.ts';
import { PowPeriods, targetOf } from './pow-periods.ts';
import { SearchThread } from './search-thread.ts';
import { startPow } from './start-pow.ts';

await init();

const CHAIN_ID = new Uint8Array(48).fill(8);
const parameters = { network: 'development', interval: 576 } as const;
const PERIOD_CUTS = 30 * parameters.interval;
const sizes = { cacheBytes: 257 * 64, datasetBytes: 4_001 * 128 };
const periods = new PowPeriods({ chainId: CHAIN_ID, parameters, sizes });
/** The slot of a search in a shared memory: the last, away from those that make the dataset. */
const SEARCH_PLACE = 255;
const FILE_BYTES = 14 + 32 + 8 + 8 + sizes.datasetBytes + 32;

function headerAt(anchorHeight: number, nonce: number): Uint8Array {
  const id = new Uint8Array(48);
  return encodeBlockHeader(
    {
      anchorHeight: BigInt(anchorHeight),
      anchorCutId: id,
      parentsRoot: id,
      bodyRoot: id,
      payoutCommitment: id,
      extranonce: new Uint8Array(32),
      target: new Uint8Array(32).fill(0x7f),
      nonce: new Uint8Array(24).fill(nonce),
    },
    CHAIN_ID,
  );
}

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = temporaryDirectory(t);
  return join(folder, 'dataset');
}

interface Started {
  readonly full: FullPow;
  readonly fractions: number[];
}

function start(t: TestContext, folder: string, log: Log = SILENT_LOG, threads = 1): Started {
  const fractions: number[] = [];
  const onProgress = (fraction: number) => void fractions.push(fraction);
  const full = new FullPow({ periods, folder, clock: SYSTEM_CLOCK, log, threads, onProgress });
  t.after(() => full.close());
  return { full, fractions };
}

/** Compares hashes with the dataset with those that need none. */
async function expectRight(t: TestContext, full: FullPow, anchor: number): Promise<void> {
  const light = new LightPow(periods);
  t.after(() => light.close());
  for (let nonce = 0; nonce < 40; nonce++) {
    const header = headerAt(anchor, nonce);
    assert.deepEqual(await full.check(header), await light.check(header));
  }
}

test('a dataset is made by threads with progress, hashes right, and is loaded the next time', async (t) => {
  const folder = await temporaryFolder(t);
  const lines: LogFields[] = [];
  const log: Log = { ...SILENT_LOG, info: (fields) => void lines.push(fields), part: () => log };
  const first = start(t, folder, log, 2);
  const before = first.full.dataset;
  assert.equal(before, undefined);
  await expectRight(t, first.full, 3);
  await first.full.prepare(3);
  assert.equal(first.full.dataset?.isLoaded, false);
  assert.equal(first.fractions.at(-1), 1);
  assert.deepEqual(lines.at(-1), { period: 0, percent: 100, seconds_left: 0 });
  await expectRight(t, first.full, 3);
  assert.deepEqual(readdirSync(folder), ['period-0.dataset']);
  assert.equal(readFileSync(join(folder, 'period-0.dataset')).length, FILE_BYTES);
  await first.full.close();

  const second = start(t, folder);
  await second.full.prepare(4);
  assert.equal(second.full.dataset?.isLoaded, true);
  assert.deepEqual(second.fractions, []);
  await expectRight(t, second.full, 4);
});

test('a file that is cut short, changed, of another period or not finished is made again', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'period-0.dataset');
  const made = start(t, folder);
  await made.full.prepare(0);
  const whole = readFileSync(path);
  const flipped = (at: number) => {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] as number) ^ 1;
    return bytes;
  };
  await made.full.prepare(PERIOD_CUTS);
  const ofNext = readFileSync(join(folder, 'period-1.dataset'));
  const damages: [string, Buffer][] = [
    ['cut short by one byte', whole.subarray(0, -1)],
    ['cut short to half', whole.subarray(0, whole.length / 2)],
    ['empty', Buffer.alloc(0)],
    ['longer', Buffer.concat([whole, Buffer.of(0)])],
    ['a bit of the data', flipped(whole.length >> 1)],
    ['the last bit of the data', flipped(whole.length - 33)],
    ['a bit of the checksum', flipped(whole.length - 1)],
    ['a bit of the seed', flipped(20)],
    ['another mark', flipped(0)],
    ['the next period', ofNext],
  ];
  for (const [damage, bytes] of damages) {
    writeFileSync(path, bytes);
    const { full } = start(t, folder);
    await full.prepare(0);
    assert.equal(full.dataset?.isLoaded, false, damage);
    assert.deepEqual(readFileSync(path), whole, damage);
    await full.close();
  }
  const { full } = start(t, folder);
  await full.prepare(0);
  assert.equal(full.dataset?.isLoaded, true);
});

test('a file with a right checksum and wrong items, one in a hundred, is made again', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'period-0.dataset');
  const made = start(t, folder);
  await made.full.prepare(0);
  const whole = readFileSync(path);
  const poisoned = Buffer.from(whole);
  const dataAt = FILE_BYTES - 32 - sizes.datasetBytes;
  for (let item = 5; item < sizes.datasetBytes / 64; item += 100)
    poisoned.fill(0xaa, dataAt + item * 64, dataAt + (item + 1) * 64);
  createHash('sha256')
    .update(poisoned.subarray(0, -32))
    .digest()
    .copy(poisoned, FILE_BYTES - 32);
  writeFileSync(path, poisoned);
  const { full } = start(t, folder);
  await full.prepare(0);
  assert.equal(full.dataset?.isLoaded, false);
  assert.deepEqual(readFileSync(path), whole);
});

test('the next dataset is made before its period begins, and those before are removed', async (t) => {
  const folder = await temporaryFolder(t);
  const { full } = start(t, folder);
  await full.prepare(PERIOD_CUTS - parameters.interval - 1);
  await full.settled();
  assert.deepEqual(readdirSync(folder), ['period-0.dataset']);
  copyFileSync(join(folder, 'period-0.dataset'), join(folder, 'period-0.dataset.new'));
  // One file of a process that is gone, one of a process that may still write.
  writeFileSync(join(folder, 'period-1.dataset.4194305.new'), 'gone');
  writeFileSync(join(folder, `period-1.dataset.${process.ppid}.new`), 'alive');
  writeFileSync(join(folder, 'notes.txt'), 'not a dataset');
  await full.prepare(PERIOD_CUTS - parameters.interval);
  await full.settled();
  assert.equal(full.dataset?.period, 0);
  assert.ok(existsSync(join(folder, 'period-1.dataset')));
  await full.prepare(PERIOD_CUTS);
  assert.equal(full.dataset?.period, 1);
  assert.equal(full.dataset?.isLoaded, true);
  assert.deepEqual(readdirSync(folder).sort(), [
    'notes.txt',
    'period-1.dataset',
    `period-1.dataset.${process.ppid}.new`,
  ]);
  await expectRight(t, full, PERIOD_CUTS);
  await expectRight(t, full, PERIOD_CUTS - 1);
});

test('where nothing can be saved the dataset serves from memory', async (t) => {
  const folder = await temporaryFolder(t);
  writeFileSync(folder, 'a file where the folder should be');
  const warnings: string[] = [];
  const log: Log = { ...SILENT_LOG, warn: (_, message) => void warnings.push(message) };
  const { full } = start(t, folder, log);
  await assert.doesNotReject(full.prepare(1));
  assert.deepEqual(warnings, [
    'the proof-of-work dataset could not be read',
    'the proof-of-work dataset could not be saved',
  ]);
  await expectRight(t, full, 1);
});

test('a search in the shared dataset finds what the check accepts', async (t) => {
  const folder = await temporaryFolder(t);
  const full = startPow({
    mode: 'full',
    periods,
    folder,
    clock: SYSTEM_CLOCK,
    log: SILENT_LOG,
    threads: 1,
  }) as FullPow;
  const searcher = await SearchThread.start();
  t.after(() => Promise.all([searcher.close(), full.close()]));
  await full.prepare(0);
  const header = headerAt(2, 0);
  const { memory, module } = full.dataset as SharedDataset;
  const range = { header, start: 0n, count: 4_096, target: targetOf(header) };
  const key = periods.keyOf(periods.ofHeader(header));
  const { nonce } = await searcher.search(key, { memory, module, thread: SEARCH_PLACE }, range);
  assert.ok(nonce !== null);
  header.set(nonce, 288);
  assert.equal((await full.check(header)).holds, true);
});

test('closing ends the making of a dataset', async (t) => {
  const folder = await temporaryFolder(t);
  const { full } = start(t, folder);
  const preparing = full.prepare(0);
  await full.close();
  await preparing;
  assert.equal(full.dataset, undefined);
  assert.ok(!existsSync(folder));
  await full.prepare(0);
  await assert.rejects(full.check(headerAt(0, 0)), /closed/);
});
