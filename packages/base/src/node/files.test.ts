import assert from 'node:assert/strict';
import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import {
  createSecret,
  readBounded,
  readSecret,
  replaceFile,
  replaceFileSync,
  syncDirectory,
  syncDirectorySync,
} from './files.ts';

test('secrets are created for their owner alone and refused if others can read them', async (t) => {
  const path = join(temporaryDirectory(t), 'secret');
  await createSecret(path, Uint8Array.of(1, 2));
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.deepEqual(await readSecret(path, 10), Uint8Array.of(1, 2));
  await assert.rejects(createSecret(path, Uint8Array.of(3)), /EEXIST/);
  await chmod(path, 0o640);
  await assert.rejects(readSecret(path, 10), /chmod 600/);
  await assert.rejects(readBounded(path, 1), /at most 1/);
  await replaceFile(path, Uint8Array.of(9));
  assert.deepEqual(new Uint8Array(await readFile(path)), Uint8Array.of(9));
  await writeFile(`${path}.new`, 'left over from a crash');
  await replaceFile(path, Uint8Array.of(10));
  assert.deepEqual(await readBounded(path, 10), Uint8Array.of(10));
  assert.equal(await readBounded(`${path}.absent`, 10), undefined);
});

test('a file is replaced as a whole, for its owner alone, over what a crash left and never through a link', (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'state');
  writeFileSync(`${path}.new`, 'left over from a crash, and longer');
  replaceFileSync(path, 'first');
  replaceFileSync(path, Uint8Array.of(0x32));
  assert.equal(readFileSync(path, 'utf8'), '2');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const victim = join(directory, 'victim');
  writeFileSync(victim, 'untouched');
  symlinkSync(victim, `${path}.new`);
  assert.throws(() => replaceFileSync(path, 'third'), /ELOOP/);
  assert.equal(readFileSync(victim, 'utf8'), 'untouched');
});

test('syncing a directory that is not there fails', async (t) => {
  const directory = temporaryDirectory(t);
  syncDirectorySync(directory);
  await syncDirectory(directory);
  const absent = join(directory, 'absent');
  assert.throws(() => syncDirectorySync(absent), /ENOENT/);
  await assert.rejects(syncDirectory(absent), /ENOENT/);
});
