import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { constants, DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { temporaryDirectory } from 'svc-base/testing';
import { FileRefusal } from '../errors.ts';
import { Database, type Row } from './database.ts';
import { isStateHeld, openState, type State, statePath } from './open-state.ts';
import type { NewOutput } from './outputs.ts';
import { forgetSum, writeSum } from './state-files.ts';

const IDENTITY = { fingerprint: '00112233aabbccdd', network: 'development' };

function walletPath(t: TestContext): string {
  return join(temporaryDirectory(t), 'wallet');
}

function opened(t: TestContext): State {
  const state = openState(walletPath(t), IDENTITY, 'test');
  t.after(() => state.close());
  return state;
}

function refused(fault: string, call: () => unknown): FileRefusal {
  let found: unknown;
  assert.throws(call, (error) => {
    found = error;
    assert.ok(error instanceof FileRefusal, String(error));
    assert.equal(error.fault, fault);
    return true;
  });
  return found as FileRefusal;
}

function outputAt(number: number, amount: bigint, addressId: number): NewOutput {
  return {
    transactionId: number.toString(16).padStart(96, '0'),
    outputIndex: 0,
    addressId,
    amount,
    source: 'regular',
    height: number,
    payloadText: null,
    payloadHex: null,
    senders: 'not_kept',
    isMessenger: false,
  };
}

test('a statement with a limit is not compiled again for another limit', (t) => {
  const prepare = t.mock.method(DatabaseSync.prototype, 'prepare');
  const state = opened(t);
  const connection = prepare.mock.calls[0]?.this as DatabaseSync;
  let compiled = 0;
  connection.setAuthorizer(() => {
    compiled++;
    return constants.SQLITE_OK;
  });
  // Statements from before are compiled again for the authorizer.
  state.outputs.largest(2);
  assert.ok(compiled > 0);
  compiled = 0;
  state.outputs.largest(3);
  assert.equal(compiled, 0);
});

test('a state is made readable by its owner alone and opens again', (t) => {
  const path = walletPath(t);
  const state = openState(path, IDENTITY, 'test');
  state.meta.set('indexed_height', '7');
  state.close();
  assert.equal(statSync(statePath(path)).mode & 0o777, 0o600);
  const again = openState(path, IDENTITY, 'test');
  assert.equal(again.meta.number('indexed_height', 0), 7);
  again.close();
});

test('a second opening is refused and names the holder, in this process and another', (t) => {
  const path = walletPath(t);
  const state = openState(path, IDENTITY, 'daemon');
  const refusal = refused('held', () => openState(path, IDENTITY, 'other'));
  assert.match(refusal.message, new RegExp(`process ${process.pid} \\(svc-wallet daemon\\)`));
  const script = `
    import { openState } from ${JSON.stringify(new URL('./open-state.ts', import.meta.url).href)};
    try { openState(${JSON.stringify(path)}, ${JSON.stringify(IDENTITY)}, 'other').close(); console.log('opened'); }
    catch (error) { console.log(error.fault, error.message); }`;
  const run = () =>
    spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stdout;
  assert.match(run(), new RegExp(`^held .*process ${process.pid}`));
  assert.equal(isStateHeld(path), true);
  state.close();
  assert.equal(isStateHeld(path), false);
  assert.match(run(), /^opened/);
});

test('a state that others could read, that is a link, damaged, foreign or newer is refused', (t) => {
  const path = walletPath(t);
  openState(path, IDENTITY, 'test').close();
  chmodSync(statePath(path), 0o640);
  assert.match(
    refused('readable_by_others', () => openState(path, IDENTITY, 'test')).hint ?? '',
    /chmod 600/,
  );
  chmodSync(statePath(path), 0o600);
  refused('wrong_wallet', () => openState(path, { ...IDENTITY, fingerprint: 'ff' }, 'test'));
  refused('wrong_wallet', () => openState(path, { ...IDENTITY, network: 'mainnet' }, 'test'));
  const state = openState(path, IDENTITY, 'test');
  state.close();
  for (const version of [2, 99]) {
    const file = new DatabaseSync(statePath(path));
    file.exec(`PRAGMA user_version = ${version}`);
    file.close();
    forgetSum(statePath(path));
    const { message } = refused('newer_version', () => openState(path, IDENTITY, 'test'));
    assert.match(message, new RegExp(`version ${version} of the state`));
  }

  const linked = join(temporaryDirectory(t), 'linked');
  symlinkSync(statePath(path), statePath(linked));
  refused('symlink', () => openState(linked, IDENTITY, 'test'));
  const broken = join(temporaryDirectory(t), 'broken');
  writeFileSync(statePath(broken), 'no database at all'.repeat(300), { mode: 0o600 });
  refused('damaged', () => openState(broken, IDENTITY, 'test'));
});

test('a bit that flipped in a closed state is found, a state from a backup is not called damaged', (t) => {
  const path = walletPath(t);
  const state = openState(path, IDENTITY, 'test');
  state.database.transaction(() => {
    for (let at = 0; at < 50; at++) state.addresses.add(0, at, `address-${at}`, true);
  });
  state.close();
  const file = statePath(path);
  const whole = readFileSync(file);
  const { atime, mtime } = statSync(file);
  utimesSync(file, atime, mtime);
  writeSum(file);
  for (let at = 0; at < whole.length; at += 997) {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] as number) ^ 0x10;
    writeFileSync(file, bytes);
    utimesSync(file, atime, mtime);
    refused('damaged', () => openState(path, IDENTITY, 'test'));
  }
  writeFileSync(file, whole);
  utimesSync(file, atime, mtime);
  openState(path, IDENTITY, 'test').close();
  const newer = openState(path, IDENTITY, 'test');
  newer.meta.set('gap', '9');
  newer.close();
  writeFileSync(file, whole);
  const restored = openState(path, IDENTITY, 'test');
  assert.equal(restored.addresses.next(0), 0);
  restored.close();
});

test('a bit that flipped in a state whose process was killed is found', (t) => {
  const path = walletPath(t);
  const file = statePath(path);
  const filled = openState(path, IDENTITY, 'test');
  filled.database.transaction(() => {
    for (let at = 0; at < 50; at++) filled.addresses.add(0, at, `address-${at}`, true);
  });
  filled.close();
  const { mtime } = statSync(file);
  utimesSync(file, mtime, mtime);
  writeSum(file);
  const killed = openState(path, IDENTITY, 'test');
  killed.meta.set('gap', '9');
  const left = walletPath(t);
  const leave = (): void => {
    for (const end of ['', '-wal', '.sum'])
      copyFileSync(`${file}${end}`, `${statePath(left)}${end}`);
    utimesSync(statePath(left), mtime, mtime);
  };
  leave();
  const opened = openState(left, IDENTITY, 'test');
  assert.equal(opened.meta.get('gap'), '9', 'what the log has is there');
  opened.close();
  const whole = readFileSync(file);
  for (let at = 0; at < whole.length; at += 997) {
    leave();
    writeFileSync(statePath(left), whole.with(at, (whole[at] as number) ^ 0x10));
    utimesSync(statePath(left), mtime, mtime);
    refused('damaged', () => openState(left, IDENTITY, 'test'));
  }
  killed.close();
});

test('the checksum of a state goes before pages are moved into it', (t) => {
  const path = walletPath(t);
  openState(path, IDENTITY, 'test').close();
  const file = statePath(path);
  const seen: boolean[] = [];
  const database = new Database(file, {
    logPagesMax: 1,
    beforeMove: () => {
      seen.push(existsSync(`${file}.sum`));
      forgetSum(file);
    },
  });
  assert.deepEqual(seen, []);
  database.execute("INSERT INTO meta(name, value) VALUES('gap', '9')");
  assert.deepEqual(seen, [true]);
  database.close();
  assert.equal(existsSync(`${file}.sum`), false);
  let moves = 0;
  const longer = new Database(file, { beforeMove: () => void moves++ });
  longer.execute("UPDATE meta SET value = '8'");
  assert.equal(moves, 0);
  longer.close();
  assert.equal(moves, 1, 'closing moves what is in the log');
});

test('a state that nobody closed is looked through before it is used', (t) => {
  const path = walletPath(t);
  const state = openState(path, IDENTITY, 'test');
  state.database.transaction(() => {
    for (let at = 0; at < 2_000; at++) state.addresses.add(0, at, `address-${at}`, true);
  });
  state.close();
  rmSync(`${statePath(path)}.sum`);
  const bytes = readFileSync(statePath(path));
  bytes.fill(0xee, bytes.length >> 1, (bytes.length >> 1) + 4_096);
  writeFileSync(statePath(path), bytes);
  refused('damaged', () => openState(path, IDENTITY, 'test'));
});

test('a state whose tables have other columns is called damaged', (t) => {
  const path = walletPath(t);
  const state = openState(path, IDENTITY, 'test');
  state.database.execute('ALTER TABLE meta RENAME COLUMN value TO valux');
  state.close();
  refused('damaged', () => openState(path, IDENTITY, 'test'));
});

test('addresses are given out in order and never twice, also after one ahead was used', (t) => {
  const { addresses } = opened(t);
  const ids = Array.from({ length: 10 }, (_, i) => addresses.add(0, i, `address-${i}`, true));
  addresses.add(1, 0, 'change-0', true);
  assert.equal(addresses.issue(0, 'alice', 1000).address, 'address-0');
  addresses.markUsed(ids[4] as number, 9);
  addresses.markUsed(ids[2] as number, 12);
  assert.equal(addresses.next(0), 5);
  const issued = addresses.issue(0, null, 1001);
  assert.deepEqual([issued.address, issued.label, issued.position], ['address-5', null, 5]);
  assert.equal(addresses.next(1), 0);
  assert.deepEqual(
    addresses.listGiven(0, 100).map(({ address }) => address),
    ['address-0', 'address-2', 'address-4', 'address-5'],
  );
  for (let i = 6; i < 10; i++) addresses.issue(0, null, 1002);
  assert.throws(() => addresses.issue(0, null, 1003), RangeError);
  assert.equal(addresses.next(0), 10, 'a refused issue moves nothing');
});

test('addresses for change are given out several at a time, and known before', (t) => {
  const { addresses, database } = opened(t);
  const ids = Array.from({ length: 4 }, (_, i) => addresses.add(1, i, `change-${i}`, true));
  assert.equal(addresses.changeAt(2), 'change-2');
  addresses.issueChange(0, 1000);
  addresses.issueChange(3, 1000);
  assert.equal(addresses.next(1), 3);
  assert.deepEqual(
    ids.map((id) => addresses.get(id).issuedAtMillis),
    [1000, 1000, 1000, null],
  );
  assert.throws(() => addresses.issueChange(2, 1001), RangeError);
  assert.deepEqual([addresses.next(1), addresses.at(1, 3)?.issuedAtMillis], [3, null]);
  const failing = (): void => {
    addresses.add(1, 4, 'lost', true);
    assert.equal(addresses.changeAt(4), 'lost');
    throw new Error('refused');
  };
  assert.throws(() => database.lazily(failing), /refused/);
  addresses.add(1, 4, 'change-4', true);
  assert.equal(addresses.changeAt(4), 'change-4', 'what was taken back is not remembered');
});

test('what is spent from is known with its registered key', (t) => {
  const { addresses, database } = opened(t);
  const id = addresses.add(0, 0, 'address-0', true);
  const own = { id, branch: 0, position: 0, address: 'address-0', isKeyRegistered: false };
  assert.deepEqual(addresses.spending(id), own);
  const failing = (): void => {
    addresses.setKeyRegistered(id);
    assert.equal(addresses.spending(id).isKeyRegistered, true);
    throw new Error('refused');
  };
  assert.throws(() => database.transaction(failing), /refused/);
  assert.deepEqual(addresses.spending(id), own);
  addresses.setKeyRegistered(id);
  assert.deepEqual(addresses.spending(id), { ...own, isKeyRegistered: true });
});

type Step =
  | { readonly do: 'receive' | 'spend' | 'reserve' | 'release' | 'forget'; readonly which: number }
  | { readonly do: 'fail'; readonly which: number };

test('totals equal the sums over the outputs after any sequence of changes and rollbacks', (t) => {
  const state = opened(t);
  const { addresses, database, journal, outputs } = state;
  const own = [0, 1, 2].map((i) => addresses.add(0, i, `address-${i}`, true));
  const request = journal.addRequest(
    { requestId: 'r', method: 'send', params: '{}', isAutomatic: false, createdAtMillis: 1 },
    'built',
  );
  const holder = journal.addTransaction({
    request,
    kind: 'payment',
    transactionId: 'ab'.repeat(48),
    wire: new Uint8Array(3),
    validUntil: 10,
    amount: 1n,
    fee: 1n,
    recipients: '[]',
    createdAtMillis: 1,
  });
  const apply = (step: Step): void => {
    const { which } = step;
    const key = outputAt(which, 0n, 0).transactionId;
    switch (step.do) {
      case 'receive':
        outputs.receive(
          outputAt(which, BigInt(which + 1) * 1_000_000_000_000n, own[which % 3] as number),
          which % 2,
        );
        return;
      case 'spend':
        outputs.spend(key, 0, which + 5, 'cd'.repeat(48));
        return;
      case 'reserve': {
        const found = outputs.find(key, 0);
        if (found?.spentHeight === null && found.reservedBy === null)
          outputs.reserve([found.id], holder);
        return;
      }
      case 'release':
        outputs.release(holder);
        return;
      case 'forget':
        outputs.forgetUnheld(own[which % 3] as number, 1);
        return;
      case 'fail':
        assert.throws(() =>
          database.transaction(() => {
            outputs.receive(outputAt(which + 500, 77n, own[0] as number), 1);
            outputs.spend(key, 0, 1, 'ee'.repeat(48));
            throw new Error('undone');
          }),
        );
    }
  };
  const step = fc.record({
    do: fc.constantFrom('receive', 'receive', 'spend', 'reserve', 'release', 'forget', 'fail'),
    which: fc.integer({ min: 0, max: 20 }),
  }) as fc.Arbitrary<Step>;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      database.execute('DELETE FROM outputs');
      for (const each of steps) apply(each);
      const sums = database
        .prepare(
          `SELECT COALESCE(SUM(amount), 0) AS balance, COUNT(*) AS output_count,
           COALESCE(SUM(CASE WHEN reserved_by IS NOT NULL THEN amount END), 0) AS reserved,
           COUNT(reserved_by) AS reserved_count FROM outputs WHERE spent_height IS NULL`,
        )
        .get() as Row;
      assert.deepEqual(
        { ...(database.prepare('SELECT * FROM totals').get() as Row) },
        { one: 1n, ...sums },
      );
      const byAddress = database
        .prepare(
          `SELECT a.id FROM addresses a LEFT JOIN outputs o ON o.address_id = a.id
           AND o.spent_height IS NULL GROUP BY a.id
           HAVING a.balance <> COALESCE(SUM(o.amount), 0) OR a.output_count <> COUNT(o.id)`,
        )
        .all();
      assert.deepEqual(byAddress, []);
    }),
    { numRuns: 150 },
  );
});

test('an output can be held once, and only while it is unspent', (t) => {
  const { addresses, journal, outputs } = opened(t);
  const own = addresses.add(0, 0, 'address', true);
  const request = journal.addRequest(
    { requestId: 'r', method: 'send', params: '{}', isAutomatic: false, createdAtMillis: 1 },
    'built',
  );
  const transactions = ['aa', 'bb'].map((id) =>
    journal.addTransaction({
      request,
      kind: 'payment',
      transactionId: id.repeat(48),
      wire: new Uint8Array(1),
      validUntil: 10,
      amount: 1n,
      fee: 1n,
      recipients: '[]',
      createdAtMillis: 1,
    }),
  );
  outputs.receive(outputAt(1, 5n, own), 0);
  outputs.receive(outputAt(2, 6n, own), 0);
  const [first, second] = outputs.smallest(2);
  outputs.reserve([first?.id as number], transactions[0] as number);
  assert.throws(
    () => outputs.reserve([first?.id as number], transactions[1] as number),
    /not free/,
  );
  outputs.spend(outputAt(2, 0n, 0).transactionId, 0, 9, 'cc'.repeat(48));
  assert.throws(
    () => outputs.reserve([second?.id as number], transactions[1] as number),
    /not free/,
  );
  assert.deepEqual(outputs.largest(9), []);
});

test('events keep their numbers after older ones are dropped, and say how far back they reach', (t) => {
  const { events } = opened(t);
  assert.deepEqual([events.last(), events.reaches(0)], [0, true]);
  for (let i = 1; i <= 5; i++) events.add('finalized', i, { i });
  events.trim(2);
  assert.deepEqual(
    events.after(0, 10).map(({ sequence }) => sequence),
    [4, 5],
  );
  assert.deepEqual(
    [2, 3, 4, 5, 6].map((at) => events.reaches(at)),
    [false, true, true, true, false],
  );
  events.trim(0);
  assert.equal(events.add('settled', 6, {}).sequence, 6);
});
