import assert from 'node:assert/strict';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { LogWriter, readLog } from 'svc-consensus/machine';
import { FileSignState } from 'svc-consensus/signer';
import { FileLog } from './file-log.ts';

test('records come back in order; a torn end is cut off and written over', (t) => {
  const path = join(temporaryDirectory(t), 'log');
  const log = new FileLog(path);
  const writer = new LogWriter(log);
  for (const byte of [1, 2, 3]) writer.append(new Uint8Array(50).fill(byte));
  writer.sync();
  log.append(Uint8Array.of(9, 9, 9));
  log.close();

  const reopened = new FileLog(path);
  const reading = readLog(reopened.read());
  assert.ok(reading.type === 'read');
  assert.deepEqual([reading.records.length, reading.droppedBytes], [3, 3]);
  reopened.truncate(reading.intactBytes);
  const again = new LogWriter(reopened, reading.records.length);
  again.append(new Uint8Array(50).fill(4));
  again.sync();
  const whole = readLog(reopened.read());
  assert.ok(whole.type === 'read');
  assert.deepEqual(
    whole.records.map(({ payload }) => payload[0]),
    [1, 2, 3, 4],
  );
  again.reset();
  assert.equal(reopened.read().length, 0);
  reopened.close();
});

test('symbolic links are not followed', { skip: process.platform === 'win32' }, (t) => {
  const path = temporaryDirectory(t);
  writeFileSync(join(path, 'elsewhere'), 'x');
  symlinkSync(join(path, 'elsewhere'), join(path, 'sign-state'));
  symlinkSync(join(path, 'elsewhere'), join(path, 'log'));
  assert.throws(() => new FileSignState(path).read(), { code: 'ELOOP' });
  assert.throws(() => new FileLog(join(path, 'log')), { code: 'ELOOP' });
});
