import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { temporaryDirectory, until } from 'svc-base/testing';
import { Database, numberOf, type Row } from './database.ts';
import { LogMover, type LogMoverOptions } from './log-mover.ts';

const PAGES_MAX = 40;
const PAGE_BYTES = 4_096;
const LOG_PAGE_BYTES = PAGE_BYTES + 24;

function emptyFile(t: TestContext, name = 'state'): string {
  const path = join(temporaryDirectory(t), name);
  writeFileSync(path, '', { mode: 0o600 });
  return path;
}

function opened(path: string): { database: Database; add: () => void } {
  const database = new Database(path, { logPagesMax: PAGES_MAX });
  database.execute('CREATE TABLE IF NOT EXISTS rows(id INTEGER PRIMARY KEY, bytes BLOB)');
  const insert = database.prepare('INSERT INTO rows(bytes) VALUES(?)');
  const add = (): void => database.lazily(() => void insert.run(new Uint8Array(2 * PAGE_BYTES)));
  return { database, add };
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

/** A connection that writes in a file of its own, with a log of some pages. */
function written(t: TestContext, path: string): DatabaseSync {
  const connection = new DatabaseSync(path, { readBigInts: true });
  t.after(() => connection.close());
  connection.exec('PRAGMA journal_mode = WAL; CREATE TABLE rows(bytes BLOB)');
  connection.exec(`INSERT INTO rows VALUES(zeroblob(${2 * PAGES_MAX * PAGE_BYTES}))`);
  return connection;
}

function logOf(connection: DatabaseSync): { log: number; checkpointed: number } {
  const row = connection.prepare('PRAGMA wal_checkpoint(NOOP)').get() as Row;
  return { log: numberOf(row, 'log'), checkpointed: numberOf(row, 'checkpointed') };
}

function moverOf(
  t: TestContext,
  connection: DatabaseSync,
  options: Partial<LogMoverOptions>,
): LogMover {
  const usual = { location: undefined, pagesMax: PAGES_MAX, onFailure: assert.fail };
  const mover = new LogMover({ connection, ...usual, ...options });
  t.after(() => mover.close());
  return mover;
}

test('the log of a busy state stays short while it is written to, and nothing of it is lost', async (t) => {
  // A path is no URL: what it is made of has to come through.
  const path = emptyFile(t, 'a state?of#50%25');
  const { add, database } = opened(path);
  const rows = 600;
  for (let count = 1; count <= rows; count++) {
    add();
    await database.flush();
  }
  assert.equal(countOf(database), rows);
  const pages = statSync(`${path}-wal`).size / LOG_PAGE_BYTES;
  assert.ok(pages < 0.75 * 3 * rows, `${pages} pages are in the log`);
  database.close();
  assert.equal(existsSync(`${path}-wal`), false);
  expectWhole(path, rows);
});

test('what a thread cannot move is moved after a later commit, and then the log begins anew', async (t) => {
  const path = emptyFile(t);
  const connection = written(t, path);
  const mover = moverOf(t, connection, { location: pathToFileURL(path).href });
  const reader = new DatabaseSync(path);
  t.after(() => reader.close());
  reader.exec('BEGIN; SELECT * FROM rows');
  connection.exec('INSERT INTO rows VALUES(1)');
  const before = logOf(connection);
  mover.afterCommit();
  await until(() => logOf(connection).checkpointed > PAGES_MAX, 'the thread to move pages');
  assert.equal(logOf(connection).checkpointed, before.log - 1, 'one page is being read around');
  reader.exec('COMMIT');
  await until(() => {
    mover.afterCommit();
    return logOf(connection).checkpointed === before.log;
  }, 'the rest to be moved');
  connection.exec('INSERT INTO rows VALUES(2)');
  assert.deepEqual(logOf(connection), { log: 1, checkpointed: 0 });
});

test('a state is closed when its thread has let go of it, so that no log is left', async (t) => {
  for (let round = 0; round < 10; round++) {
    const path = emptyFile(t, `state-${round}`);
    const { add, database } = opened(path);
    for (let count = 0; count < PAGES_MAX + round; count++) {
      add();
      await database.flush();
    }
    database.close();
    assert.equal(existsSync(`${path}-wal`), false);
    expectWhole(path, PAGES_MAX + round);
  }
});

test('where no second connection can be had, pages are moved by the one that writes', (t) => {
  const connection = written(t, emptyFile(t));
  moverOf(t, connection, {}).afterCommit();
  const { checkpointed, log } = logOf(connection);
  assert.ok(log > PAGES_MAX);
  assert.equal(checkpointed, log);
});

test('a thread that cannot move pages is a failure', async (t) => {
  const connection = written(t, emptyFile(t));
  const failures: Error[] = [];
  const location = pathToFileURL(join(temporaryDirectory(t), 'nowhere', 'state')).href;
  const mover = moverOf(t, connection, { location, onFailure: (error) => failures.push(error) });
  mover.afterCommit();
  await until(() => failures.length === 1, 'the failure');
  assert.match(String(failures[0]), /the log of the state/);
});

test('a process that is killed while pages are moved has lost nothing that was on the disk', async (t) => {
  const path = emptyFile(t);
  const script = `
    import { Database } from ${JSON.stringify(new URL('./database.ts', import.meta.url).href)};
    const database = new Database(${JSON.stringify(path)}, { logPagesMax: ${PAGES_MAX} });
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

test('a log that is far from its length is not looked at after each commit, and is moved all the same', (t) => {
  const connection = written(t, emptyFile(t));
  let looks = 0;
  const { prepare } = connection;
  connection.prepare = (sql) => {
    const statement = prepare.call(connection, sql);
    if (!sql.includes('NOOP')) return statement;
    const get = statement.get.bind(statement) as () => unknown;
    return Object.assign(statement, {
      get: () => {
        looks++;
        return get();
      },
    });
  };
  const { log } = logOf(connection);
  looks = 0;
  const mover = moverOf(t, connection, { pagesMax: log + 1_100 });
  mover.afterCommit();
  for (let commits = 0; commits < 2; commits++) mover.afterCommit();
  assert.equal(looks, 1, 'there is room for two commits of five hundred pages');
  connection.exec(`INSERT INTO rows VALUES(zeroblob(${1_200 * PAGE_BYTES}))`);
  mover.afterCommit();
  assert.equal(looks, 2);
  const { checkpointed, log: moved } = logOf(connection);
  assert.deepEqual([checkpointed, moved > log + 1_100], [moved, true]);
});
