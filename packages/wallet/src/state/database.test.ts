import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory, until } from 'svc-base/testing';
import { Database, numberOf, type Row } from './database.ts';

const PAGE_BYTES = 4_096;
/** More than are kept once they are written, and fewer than a transaction may have changed. */
const PAGES = 4_000;
const LOG_PAGES_MAX = 40;

function emptyFile(t: TestContext): string {
  const path = join(temporaryDirectory(t), 'state');
  writeFileSync(path, '', { mode: 0o600 });
  return path;
}

function countOf(database: Database): number {
  return numberOf(database.prepare('SELECT COUNT(*) AS count FROM rows').get() as Row, 'count');
}

function expectWhole(path: string, rows: number): void {
  const database = new Database(path);
  const check = database.prepare('PRAGMA integrity_check').get() as Row;
  assert.equal(check['integrity_check'], 'ok');
  assert.ok(countOf(database) >= rows, `${countOf(database)} of ${rows} rows`);
  database.close();
}

test('a transaction that changes more pages than are kept writes to the log when it ends, and not before', (t) => {
  const path = emptyFile(t);
  const database = new Database(path, { logPagesMax: 10 * PAGES });
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

test('the log of a busy state stays short, and nothing of it is lost', async (t) => {
  const path = emptyFile(t);
  const database = new Database(path, { logPagesMax: LOG_PAGES_MAX });
  database.execute('CREATE TABLE rows(id INTEGER PRIMARY KEY, bytes BLOB)');
  const insert = database.prepare('INSERT INTO rows(bytes) VALUES(?)');
  const rows = 200;
  for (let count = 1; count <= rows; count++) {
    database.lazily(() => void insert.run(new Uint8Array(2 * PAGE_BYTES)));
    await database.flush();
    assert.ok(statSync(`${path}-wal`).size < LOG_PAGES_MAX * PAGE_BYTES, `after ${count}`);
  }
  assert.equal(countOf(database), rows);
  database.close();
  assert.equal(existsSync(`${path}-wal`), false);
  expectWhole(path, rows);
});

test('a process that is killed while pages are moved has lost nothing that was on the disk', async (t) => {
  const path = emptyFile(t);
  const script = `
    import { Database } from ${JSON.stringify(new URL('./database.ts', import.meta.url).href)};
    const database = new Database(${JSON.stringify(path)}, { logPagesMax: ${LOG_PAGES_MAX} });
    database.execute('CREATE TABLE IF NOT EXISTS rows(id INTEGER PRIMARY KEY, bytes BLOB)');
    const insert = database.prepare('INSERT INTO rows(bytes) VALUES(?)');
    for (;;) {
      const { lastInsertRowid } = database.lazily(() => insert.run(new Uint8Array(${2 * PAGE_BYTES})));
      await database.flush();
      process.stdout.write(lastInsertRowid + '\\n');
    }`;
  let rows = 0;
  for (let round = 1; round <= 3; round++) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const enough = rows + 150 + 7 * round;
    const lastSaid = (): number => Number(said.slice(0, -1).split('\n').at(-1));
    await until(() => said.endsWith('\n') && lastSaid() >= enough, 'rows on the disk');
    child.kill('SIGKILL');
    await once(child, 'close');
    rows = Number(said.slice(0, said.lastIndexOf('\n')).split('\n').at(-1));
    expectWhole(path, rows);
  }
});
