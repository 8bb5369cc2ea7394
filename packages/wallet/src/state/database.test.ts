import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { Database, numberOf, type Row } from './database.ts';

const PAGE_BYTES = 4_096;
/** More than are kept once they are written, and fewer than a transaction may have changed. */
const PAGES = 4_000;

test('a transaction that changes more pages than are kept writes to the log when it ends, and not before', (t) => {
  const path = join(temporaryDirectory(t), 'state');
  writeFileSync(path, '', { mode: 0o600 });
  const database = new Database(path);
  t.after(() => database.close());
  database.execute('CREATE TABLE rows(id INTEGER PRIMARY KEY, bytes BLOB)');
  const insert = database.prepare('INSERT INTO rows(bytes) VALUES(?)');
  const logBytes = (): number => statSync(`${path}-wal`).size;
  const before = logBytes();
  database.transaction(() => {
    for (let row = 0; row < PAGES; row++) insert.run(new Uint8Array(PAGE_BYTES));
    assert.equal(logBytes(), before);
  });
  assert.ok(logBytes() > before + PAGES * PAGE_BYTES);
  const counted = database.prepare('SELECT COUNT(*) AS count FROM rows WHERE length(bytes) > 0');
  assert.equal(numberOf(counted.get() as Row, 'count'), PAGES);
});
