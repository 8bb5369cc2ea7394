import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, suite, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { DirectorySnapshots } from './snapshots.ts';

suite('snapshots', () => {
  let directory: string;
  let snapshots: DirectorySnapshots;
  const file = (): string => join(directory, 'node', 'deep', 'file');

  beforeEach(() => {
    directory = temporaryDirectory();
    mkdirSync(join(directory, 'node', 'deep'), { recursive: true });
    writeFileSync(file(), 'first');
    snapshots = new DirectorySnapshots(directory, 'node');
  });

  test('the data is brought back as it was, as often as wanted', () => {
    const name = snapshots.newName();
    snapshots.save(name);
    for (let times = 0; times < 2; times++) {
      writeFileSync(file(), 'second');
      writeFileSync(join(directory, 'node', 'more'), '');
      snapshots.restore(name);
      assert.equal(readFileSync(file(), 'utf8'), 'first');
      assert.deepEqual(readdirSync(join(directory, 'node')), ['deep']);
    }
    assert.deepEqual(readdirSync(directory).toSorted(), ['node', 'snapshots']);
  });

  test('names are new, also after a restart', () => {
    const first = snapshots.newName();
    snapshots.save(first);
    assert.notEqual(snapshots.newName(), first);
    assert.equal(new DirectorySnapshots(directory, 'node').newName(), 'snapshot-2');
  });

  test('only what was taken whole is a snapshot, and nothing outside its folder', () => {
    mkdirSync(join(directory, 'snapshots', 'snapshot-3.unfinished'), { recursive: true });
    for (const name of ['snapshot-1', 'snapshot-3', 'snapshot-3.unfinished', '../node', '', '..'])
      assert.throws(() => snapshots.expect(name), RangeError, name);
    snapshots.save('snapshot-3');
    snapshots.expect('snapshot-3');
  });
});
