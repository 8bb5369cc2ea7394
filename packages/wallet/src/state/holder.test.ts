import assert from 'node:assert/strict';
import { chmodSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { readHolder, writeHolder } from './state-files.ts';

const HOLDER = { pid: 7, purpose: 'daemon', url: 'http://127.0.0.1:1', tokenFile: '/a/token' };

test('a note that somebody else can have written is refused, and replaced by the next daemon', (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'wallet.state.holder');
  assert.equal(readHolder(path), undefined);
  writeHolder(path, HOLDER);
  assert.deepEqual(readHolder(path), HOLDER);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  chmodSync(path, 0o666);
  assert.throws(() => readHolder(path), /can be read or changed by others \(mode 0666/);
  writeHolder(path, HOLDER);
  assert.deepEqual(readHolder(path), HOLDER);
  const elsewhere = join(directory, 'elsewhere');
  renameSync(path, elsewhere);
  symlinkSync(elsewhere, path);
  assert.throws(() => readHolder(path), /is a symbolic link/);
  writeHolder(path, { ...HOLDER, pid: 8 });
  assert.equal(readHolder(path)?.pid, 8);
  assert.equal(readHolder(elsewhere)?.pid, 7, 'what the link named is as it was');
});

test('a note that cannot be understood says nothing', (t) => {
  const path = join(temporaryDirectory(t), 'wallet.state.holder');
  for (const text of ['', '{', '[]', 'null', '{"pid":"7","purpose":"daemon"}']) {
    writeFileSync(path, text, { mode: 0o600 });
    assert.equal(readHolder(path), undefined, text);
  }
});
