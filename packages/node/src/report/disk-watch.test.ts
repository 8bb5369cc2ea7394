import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock, until } from 'svc-base/testing';
import { RecordedLog } from '../testing/cluster-log.ts';
import { DiskWatch } from './disk-watch.ts';

const MIN = 1_000;
const PAUSE_MILLIS = 30_000;

test('a disk that fills up is told once, and once more when it has space again', async (t) => {
  const clock = new ManualClock();
  const log = new RecordedLog();
  let free: number | undefined = MIN;
  let measured = 0;
  const watch = await DiskWatch.start({
    freeBytes: async () => {
      measured++;
      if (free === undefined) throw new Error('the disk is gone');
      return free;
    },
    freeBytesMin: MIN,
    clock,
    log,
  });
  t.after(() => watch.close());
  assert.deepEqual([watch.freeBytes, watch.freeBytesMin], [MIN, MIN], 'measured at the start');
  const measureWith = async (bytes: number | undefined): Promise<void> => {
    free = bytes;
    const before = measured;
    await until(() => {
      clock.advance(PAUSE_MILLIS);
      return measured > before;
    }, 'a measurement');
    await until(() => watch.freeBytes === bytes, 'what was measured');
  };
  const levels = () => log.entries.map(({ level }) => level);
  await measureWith(MIN - 1);
  await measureWith(MIN - 2);
  assert.deepEqual(levels(), ['warn']);
  assert.match(log.entries[0]?.message ?? '', /nearly full/);
  await measureWith(undefined);
  await measureWith(MIN - 3);
  assert.deepEqual(levels(), ['warn', 'warn'], 'that it is low was told already');
  await measureWith(MIN);
  assert.deepEqual(levels(), ['warn', 'warn', 'info']);
});

test('nothing is measured after the end', async () => {
  const clock = new ManualClock();
  let measured = 0;
  const watch = await DiskWatch.start({
    freeBytes: async () => ++measured,
    freeBytesMin: 0,
    clock,
    log: new RecordedLog(),
  });
  await watch.close();
  clock.advance(10 * PAUSE_MILLIS);
  assert.equal(measured, 1);
});
