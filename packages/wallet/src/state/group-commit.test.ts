import assert from 'node:assert/strict';
import { copyFileSync, linkSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { temporaryDirectory, until } from 'svc-base/testing';
import { GroupCommit } from './group-commit.ts';
import { openState, type State } from './open-state.ts';

const IDENTITY = { fingerprint: '00112233aabbccdd', network: 'development' };

/** A state, copy and audit file that say when they are synced, and up to where; the state is told when it may be. */
function slowDisk() {
  const said: string[] = [];
  const flushes: (() => void)[] = [];
  let committed = 0;
  const file = (name: string) => ({
    mark: () => committed,
    syncUpTo: async (mark: number) => void said.push(`${name} ${mark}`),
  });
  const database = {
    flush: async () => {
      await new Promise<void>((resolve) => flushes.push(resolve));
      said.push('state');
    },
  };
  const ports = { state: { database }, copy: file('copy'), audit: file('audit') };
  return {
    said,
    group: new GroupCommit(ports as never),
    commit: () => ++committed,
    flushed: async () => {
      while (flushes.length === 0) await nextTurn();
      flushes.shift()?.();
    },
  };
}

test('payments that wait together share a sync, and one that comes later waits for the next', async () => {
  const { commit, flushed, group, said } = slowDisk();
  const left: string[] = [];
  const leave = (name: string) => group.synced().then(() => left.push(name));
  commit();
  const first = leave('first');
  // Once the event loop has come round a sync is under way: what is committed now is not part of it.
  await nextTurn();
  await nextTurn();
  commit();
  const second = leave('second');
  commit();
  const third = leave('third');
  await nextTurn();
  assert.deepEqual([said, left], [[], []]);
  await flushed();
  await first;
  assert.deepEqual([said, left], [['state', 'copy 1', 'audit 1'], ['first']]);
  await flushed();
  await Promise.all([second, third]);
  assert.deepEqual(said.slice(3), ['state', 'copy 3', 'audit 3']);
  assert.deepEqual([left, group.groups], [['first', 'second', 'third'], 2]);
});

test('a commit that waits for its sync is seen at once, and survives the process', (t) => {
  const wallet = join(temporaryDirectory(t), 'wallet');
  const one = openState(wallet, IDENTITY, 'test');
  one.database.lazily(() => one.meta.set('gap', '7'));
  assert.equal(one.meta.get('gap'), '7');
  assert.throws(
    () =>
      one.database.lazily(() => {
        one.meta.set('gap', '8');
        throw new Error('refused');
      }),
    /refused/,
  );
  assert.equal(one.meta.get('gap'), '7');
  one.database.flushNow();
  one.close();
  const again = openState(wallet, IDENTITY, 'test');
  assert.equal(again.meta.get('gap'), '7');
  again.close();
});

/** What another connection would find in the file now. */
function committedGap(path: string): string | undefined {
  const copy = `${path}.seen`;
  for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, `${copy}${end}`);
  const seen = new DatabaseSync(copy);
  const row = seen.prepare("SELECT value FROM meta WHERE name = 'gap'").get();
  seen.close();
  for (const end of ['', '-wal', '-shm']) rmSync(`${copy}${end}`, { force: true });
  return row?.['value'] as string | undefined;
}

test('lazy work shares a commit, and work that fails takes back only its own', async (t) => {
  const { database, meta, path, close } = openState(
    join(temporaryDirectory(t), 'wallet'),
    IDENTITY,
    'test',
  );
  t.after(close);
  const refuse = (): never => {
    throw new Error('refused');
  };
  database.lazily(() => meta.set('gap', '1'));
  database.lazily(() => meta.set('gap', '2'));
  assert.throws(
    () =>
      database.lazily(() => {
        meta.set('gap', '3');
        refuse();
      }),
    /refused/,
  );
  assert.deepEqual([meta.get('gap'), committedGap(path)], ['2', undefined]);
  await until(() => committedGap(path) === '2', 'the shared commit');

  database.lazily(() => meta.set('gap', '4'));
  meta.set('restore_height', '1');
  assert.equal(committedGap(path), '4', 'a write of its own commits what came before it');
  database.lazily(() => meta.set('gap', '5'));
  assert.throws(
    () =>
      database.transaction(() => {
        meta.set('gap', '6');
        refuse();
      }),
    /refused/,
  );
  assert.equal(committedGap(path), '5', 'a transaction that fails keeps what came before it');
  database.lazily(() => meta.set('gap', '7'));
  await database.flush();
  assert.equal(committedGap(path), '7');
});

test('lazy work that fails first leaves no transaction behind, and one statement shares that of others', async (t) => {
  const { database, meta, path, close } = openState(
    join(temporaryDirectory(t), 'wallet'),
    IDENTITY,
    'test',
  );
  t.after(close);
  const fail = (): void => {
    meta.set('gap', '1');
    throw new Error('refused');
  };
  assert.throws(() => database.lazily(fail), /refused/);
  assert.equal(meta.get('gap'), undefined);
  database.lazilyOne(() => meta.set('gap', '2'));
  assert.throws(() => database.lazily(fail), /refused/);
  assert.throws(() => database.lazilyOne(() => database.execute('wrong')), /syntax error/);
  assert.deepEqual([meta.get('gap'), committedGap(path)], ['2', undefined]);
  await database.flush();
  assert.equal(committedGap(path), '2');
});

/** The files that this process has open. */
function openFiles(): string[] {
  const paths = readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)];
    } catch {
      return []; // The listing itself was a file.
    }
  });
  return paths.filter((path) => path.startsWith('/'));
}

test('what lazy work may have to put back is kept in memory, however much it is', (t) => {
  const { close, database, meta } = openState(
    join(temporaryDirectory(t), 'wallet'),
    IDENTITY,
    'test',
  );
  t.after(close);
  const long = 'x'.repeat(1 << 20);
  database.transaction(() => meta.set('gap', long));
  const before = openFiles();
  database.lazily(() => {
    meta.set('gap', 'short');
    assert.deepEqual(openFiles(), before);
    meta.set('gap', `${long}y`);
    assert.deepEqual(openFiles(), before);
  });
});

test('a state whose log is gone lets nothing leave, now and later', async (t) => {
  const state = openState(join(temporaryDirectory(t), 'wallet'), IDENTITY, 'test');
  t.after(() => state.close());
  const group = new GroupCommit({ state, copy: undefined, audit: undefined });
  state.database.lazily(() => state.meta.set('gap', '1'));
  await group.synced();
  const log = `${state.path}-wal`;
  linkSync(log, `${log}.backup`);
  state.database.lazily(() => state.meta.set('gap', '2'));
  await group.synced(); // A log that a backup has linked to is still the log.
  rmSync(log);
  state.database.lazily(() => state.meta.set('gap', '2'));
  await assert.rejects(group.synced(), /was removed/);
  await assert.rejects(group.synced(), /was removed/);
  assert.throws(() => state.database.lazily(() => state.meta.set('gap', '3')), /was removed/);
  await group.settled();
});

test('a commit of its own has reached the log when it returns, and fails where it cannot', (t) => {
  const changes = [
    ({ database, meta }: State) => database.transaction(() => meta.set('gap', '1')),
    ({ meta }: State) => meta.set('gap', '1'),
    ({ database }: State) => database.execute("DELETE FROM meta WHERE name = 'gap'"),
  ];
  for (const [at, change] of changes.entries()) {
    const state = openState(join(temporaryDirectory(t), `wallet${at}`), IDENTITY, 'test');
    change(state);
    rmSync(`${state.path}-wal`);
    assert.throws(() => change(state), /was removed/);
    state.database.close();
  }
});
