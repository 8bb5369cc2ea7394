import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from 'svc-base/testing';
import { PageLimit } from './page-limit.ts';

test('pages are given back when too many are mapped, one release at a time, and not after the end', async () => {
  let mapped = 1;
  let [asked, released, running] = [0, 0, 0];
  const engine = {
    releasePages: async () => {
      assert.equal(running++, 0);
      await new Promise(setImmediate);
      running--;
      released++;
      if (released === 2) throw new Error('the store is being closed');
      return 1;
    },
  };
  const look = (): number => {
    asked++;
    return mapped;
  };
  const ports = { mapped: look, mappedMax: 2, pauseMillis: 1 };
  const limit = new PageLimit(engine, ports);
  await until(() => asked > 3, 'the limit to be looked at');
  assert.equal(released, 0);
  mapped = 3;
  await until(() => released > 3, 'pages to be given back');
  limit.close();
  await until(() => running === 0, 'the last release');
  const [askedBefore, releasedBefore] = [asked, released];
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  assert.deepEqual([asked, released], [askedBefore, releasedBefore]);
});
