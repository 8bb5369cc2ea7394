import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'svc-base/testing';
import type { Device, DeviceResult, DeviceSearch } from './device.ts';
import { Prospector, type Work } from './prospector.ts';

/** A device that answers on request, so that a test decides what is found in which batch. */
class ToldDevice implements Device {
  readonly id = 'cpu:0';
  readonly name = 'told';
  readonly kind = 'cpu';
  readonly firstBatch = 100;
  readonly batchStep = 1;
  readonly batchMax = 100;
  readonly searches: DeviceSearch[] = [];
  readonly #answers: ((result: DeviceResult) => void)[] = [];

  async prepare(): Promise<void> {}

  search(search: DeviceSearch): Promise<DeviceResult> {
    this.searches.push(search);
    return new Promise((resolve) => this.#answers.push(resolve));
  }

  /** Ends the oldest batch. */
  async answer(nonces: readonly Uint8Array[]): Promise<void> {
    this.#answers.shift()?.({ done: 100, nonces, wrong: 0, lost: 0 });
    await new Promise((resolve) => setImmediate(resolve));
  }

  async close(): Promise<void> {}
}

const key = { seed: new Uint8Array(32), cacheBytes: 64, datasetBytes: 128 };
const shareTarget = new Uint8Array(32).fill(0xff);
const workOf = (fill: number, isSpentByFind: boolean): Work => ({
  jobId: String(fill),
  period: 0,
  key,
  header: new Uint8Array(312).fill(fill),
  shareTarget,
  isSpentByFind,
});

function prospect() {
  const device = new ToldDevice();
  const found: string[] = [];
  const prospector = new Prospector({
    device,
    deviceNumber: 0,
    // Batches end at once, so the device always gets the largest one.
    clock: new ManualClock(),
    onFound: ({ jobId }) => void found.push(jobId),
    onFailure: (error) => assert.fail(error),
  });
  const starts = () => device.searches.map(({ start }) => Number(start));
  return { device, found, prospector, starts };
}

test('the same header after a rest, or with another target, is searched from where it was left', async () => {
  const { device, prospector, starts } = prospect();
  const work = workOf(1, false);
  prospector.setWork(work);
  assert.deepEqual(starts(), [0, 100]);
  prospector.setWork(undefined);
  await device.answer([]);
  await device.answer([]);
  assert.deepEqual(starts(), [0, 100], 'it rests');
  prospector.setWork({ ...work, shareTarget: new Uint8Array(32) });
  assert.deepEqual(starts(), [0, 100, 200, 300]);
  prospector.setWork(workOf(2, false));
  await device.answer([]);
  assert.deepEqual(starts(), [0, 100, 200, 300, 0], 'another header from the beginning');
});

test('after a find, work whose every share is a block is left alone until there is other work', async () => {
  const { device, found, prospector, starts } = prospect();
  prospector.setWork(workOf(1, true));
  await device.answer([new Uint8Array(24)]);
  await device.answer([new Uint8Array(24)]);
  assert.deepEqual(
    [found, starts()],
    [
      ['1', '1'],
      [0, 100],
    ],
  );
  prospector.setWork(workOf(2, false));
  assert.deepEqual(starts(), [0, 100, 0, 100]);
  await device.answer([new Uint8Array(24)]);
  assert.deepEqual(
    starts(),
    [0, 100, 0, 100, 200],
    'where shares are no blocks, the search continues',
  );
});
