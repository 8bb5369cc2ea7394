import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { ShareLog } from './share-log.ts';

test('shares come back in order, without those that a crash has torn; a full log makes room', (t) => {
  const folder = temporaryDirectory(t);
  const log = new ShareLog(folder);
  const share = (jobHeight: number) => ({
    ...{ poolAddress: 'pool', jobHeight, newestHeight: jobHeight + 1, work: 7n ** 40n },
  });
  const heights = () => log.read('pool', 'miner').map(({ jobHeight }) => jobHeight);
  for (const height of [1, 2, 3]) log.append('miner', share(height));
  log.append('another', share(9));
  assert.deepEqual(log.read('pool', 'miner')[1], share(2));
  const path = join(folder, 'pool-miner.shares');
  truncateSync(path, 130);
  const kept = heights();
  assert.ok(kept.length < 3);
  log.append('miner', share(4));
  assert.deepEqual(heights(), [...kept, 4]);
  appendFileSync(path, new Uint8Array(17 << 20));
  log.append('miner', share(5));
  assert.deepEqual(heights(), [...kept, 4, 5]);
  assert.equal(readdirSync(folder).length, 3);
});
