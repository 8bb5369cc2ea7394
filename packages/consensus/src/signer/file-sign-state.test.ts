/**
 * What the record of signatures brings to the disk, call by call: a crash of the process alone cannot show that a sync
 * is missing.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { FileSignState } from './file-sign-state.ts';

/** The calls that make something durable, with the names of the files that they are about. */
function watchDisk(t: TestContext): string[] {
  const calls: string[] = [];
  const names = new Map<number, string>();
  const { openSync, fsyncSync, renameSync } = fs;
  t.mock.method(fs, 'openSync', (...opening: Parameters<typeof openSync>) => {
    const file = openSync(...opening);
    names.set(file, basename(String(opening[0])));
    return file;
  });
  t.mock.method(fs, 'fsyncSync', (file: number) => {
    calls.push(`fsync ${names.get(file)}`);
    fsyncSync(file);
  });
  t.mock.method(fs, 'renameSync', (...[from, to]: Parameters<typeof renameSync>) => {
    calls.push(`rename ${basename(String(from))} ${basename(String(to))}`);
    renameSync(from, to);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  return calls;
}

test('a record of a signature is on the disk before its name is, and its name before the signer continues', (t) => {
  const directory = temporaryDirectory(t);
  const calls = watchDisk(t);
  const record = new FileSignState(directory);
  record.writeTemporary(Uint8Array.of(1, 2, 3));
  assert.deepEqual(calls, []);
  record.syncTemporary();
  record.renameTemporary();
  record.syncDirectory();
  assert.deepEqual(calls, [
    'fsync sign-state.new',
    'rename sign-state.new sign-state',
    `fsync ${basename(directory)}`,
  ]);
  assert.deepEqual(record.read(), Uint8Array.of(1, 2, 3));
});

test('symbolic links are not followed', { skip: process.platform === 'win32' }, (t) => {
  const path = temporaryDirectory(t);
  fs.writeFileSync(join(path, 'elsewhere'), 'x');
  fs.symlinkSync(join(path, 'elsewhere'), join(path, 'sign-state'));
  assert.throws(() => new FileSignState(path).read(), { code: 'ELOOP' });
});
