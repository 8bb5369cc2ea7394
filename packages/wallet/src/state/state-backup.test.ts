import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { Database } from './database.ts';
import { StateBackup } from './state-files.ts';

const BACKUPS = 25;

test('a backup that meets a transaction in its first step is made all the same, with all or nothing of it', async (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'state');
  writeFileSync(path, '');
  const database = new Database(path);
  t.after(() => database.close());
  database.execute('CREATE TABLE payments(id INTEGER PRIMARY KEY) STRICT');
  const pay = database.prepare('INSERT INTO payments DEFAULT VALUES');
  const backup = new StateBackup(path, database);
  for (let paid = 1; paid <= BACKUPS; paid++) {
    const making = backup.make();
    database.lazily(() => pay.run());
    const made = await making;
    const copy = new DatabaseSync(made.path, { readOnly: true });
    const [row] = copy.prepare('SELECT count(*) AS count FROM payments').all();
    copy.close();
    assert.ok(row?.['count'] === paid || row?.['count'] === paid - 1);
  }
  assert.ok(!readdirSync(directory).includes('state.backup.new'));
});
