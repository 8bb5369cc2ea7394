/**
 * What the record of signatures and the log of a height bring to the disk, call by call: a crash of the process alone
 * cannot show that one of them is missing.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { FileSignState } from 'svc-consensus/signer';
import { FileLog } from './file-log.ts';

/** The calls that make something durable, with the names of the files that they are about. */
function watchDisk(t: TestContext): string[] {
  const calls: string[] = [];
  const names = new Map<number, string>();
  const { openSync, fsyncSync, fdatasyncSync, renameSync } = fs;
  t.mock.method(fs, 'openSync', (...opening: Parameters<typeof openSync>) => {
    const file = openSync(...opening);
    names.set(file, basename(String(opening[0])));
    return file;
  });
  t.mock.method(fs, 'fsyncSync', (file: number) => {
    calls.push(`fsync ${names.get(file)}`);
    fsyncSync(file);
  });
  t.mock.method(fs, 'fdatasyncSync', (file: number) => {
    calls.push(`fdatasync ${names.get(file)}`);
    fdatasyncSync(file);
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

test('a record of a signature is on the disk before its name is, and its name before the signer goes on', (t) => {
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

test('a log is on the disk after a sync, and as short as it was cut to at once', (t) => {
  const path = join(temporaryDirectory(t), 'log');
  const calls = watchDisk(t);
  const log = new FileLog(path);
  t.after(() => log.close());
  log.append(Uint8Array.of(1, 2, 3));
  log.sync();
  log.truncate(2);
  log.reset();
  assert.deepEqual(calls, ['fdatasync log', 'fsync log', 'fsync log']);
});
