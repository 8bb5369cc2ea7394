import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { openState } from './open-state.ts';
import { Remembered } from './remembered.ts';

const IDENTITY = { fingerprint: '00112233aabbccdd', network: 'development' };

test('values beyond the limit are read again', () => {
  const remembered = new Remembered<number, number>({ takenBack: 0 }, 2);
  let reads = 0;
  const get = (key: number): number => remembered.get(key, () => ++reads);
  assert.deepEqual([1, 2, 1, 3, 3, 1].map(get), [1, 2, 1, 3, 3, 4]);
});

test('what work that failed had changed is not remembered', (t) => {
  const state = openState(join(temporaryDirectory(t), 'wallet'), IDENTITY, 'test');
  t.after(() => state.close());
  const { addresses, database, meta } = state;
  const now = () => [meta.get('gap'), addresses.derived(1), addresses.next(1)];
  const change = (name: string) => (): void => {
    meta.set('gap', name);
    addresses.add(1, addresses.derived(1), name, true);
    addresses.issue(1, null, 0);
  };
  const fail = (work: () => void) => (): void => {
    work();
    throw new Error(`refused after ${now().join()}`);
  };
  change('one')();
  assert.deepEqual(now(), ['one', 1, 1]);
  assert.throws(() => database.transaction(fail(change('two'))), /refused after two,2,2/);
  assert.deepEqual(now(), ['one', 1, 1]);
  assert.throws(() => database.lazily(fail(change('two'))), /refused after two,2,2/);
  assert.deepEqual(now(), ['one', 1, 1]);
  assert.throws(() => database.lazily(fail(() => meta.remove('gap'))), /refused after ,1,1/);
  assert.deepEqual(now(), ['one', 1, 1]);
  database.lazily(change('two'));
  assert.deepEqual(now(), ['two', 2, 2]);
  addresses.markUsed(addresses.add(1, 2, 'three', true), 5);
  assert.deepEqual(now(), ['two', 3, 3]);
  addresses.markUsed(1, 6);
  assert.deepEqual(now(), ['two', 3, 3], 'a position that is given out next never falls');
});
