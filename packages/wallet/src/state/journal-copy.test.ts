import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scanLogFile } from 'svc-base/node';
import { temporaryDirectory } from 'svc-base/testing';
import { JournalCopy } from './journal-copy.ts';
import { openState, type State } from './open-state.ts';

const IDENTITY = { fingerprint: '00112233aabbccdd', network: 'development' };

function stateIn(t: TestContext, directory: string, identity = IDENTITY): State {
  const state = openState(join(directory, identity.fingerprint), identity, 'test');
  t.after(() => state.close());
  return state;
}

function record({ journal }: State, name: string): number {
  const asked = {
    ...{ requestId: name, method: 'send', params: '{}', isAutomatic: false, createdAtMillis: 1 },
    ...{ caller: null, budget: null, result: '{"kind":"payment"}' },
  };
  const request = journal.addRequest(asked, 'built', asked.result);
  const transaction = {
    request,
    kind: 'payment',
    transactionId: Buffer.from(name).toString('hex').padEnd(96, '0'),
    wire: new Uint8Array(3),
    validUntil: 10,
    amount: 5n,
    fee: 1n,
    recipients: '[]',
    createdAtMillis: 1,
  };
  return journal.addTransaction(transaction);
}

const names = (copy: JournalCopy): (string | undefined)[] =>
  [...copy.lines()].map(({ request }) => request?.requestId);

test('a copy gets what the state had at a mark, and what came later the next time', async (t) => {
  const directory = temporaryDirectory(t);
  const state = stateIn(t, directory);
  state.addresses.add(1, 0, 'change-0', true);
  state.addresses.add(1, 1, 'change-1', true);
  const copy = JournalCopy.open(join(directory, 'journal'), state);
  record(state, 'a');
  state.addresses.issue(1, null, 1);
  const mark = copy.mark();
  record(state, 'b');
  state.addresses.issue(1, null, 1);
  await copy.syncUpTo(mark);
  assert.deepEqual(names(copy), ['a', undefined]);
  assert.deepEqual([...copy.lines()].at(-1)?.next, [0, 1]);
  // Somebody who could not wait has written more meanwhile.
  copy.sync();
  await copy.syncUpTo(mark);
  assert.deepEqual(names(copy), ['a', undefined, 'b', undefined]);
  assert.deepEqual([...copy.lines()].at(-1)?.next, [0, 2]);
  copy.close();
});

test('a copy has every request once, over openings and after a record that a crash has torn', (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'journal');
  const state = stateIn(t, directory);
  const first = JournalCopy.open(path, state);
  record(state, 'a');
  first.sync();
  first.sync();
  record(state, 'b');
  record(state, 'c');
  first.sync();
  first.close();
  const whole = readFileSync(path, 'utf8');
  for (const torn of ['{"wallet":"0011', `${'x'.repeat(3_000_000)}`]) {
    appendFileSync(path, torn);
    const again = JournalCopy.open(path, state);
    assert.deepEqual(names(again), ['a', 'b', 'c']);
    assert.equal(again.isAhead, false);
    again.sync();
    assert.equal(readFileSync(path, 'utf8'), whole);
    again.close();
  }
});

test('a copy is ahead of a state that lacks its newest transaction or address', (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'journal');
  const state = stateIn(t, directory);
  const copy = JournalCopy.open(path, state);
  state.addresses.add(0, 0, 'address-0', true);
  state.addresses.issue(0, 'alice', 7);
  copy.sync();
  assert.deepEqual([...copy.lines()].at(-1)?.addresses, [
    { position: 0, label: 'alice', issuedAtMillis: 7 },
  ]);
  copy.close();
  const older = temporaryDirectory(t);
  const behind = JournalCopy.open(path, stateIn(t, older));
  assert.equal(behind.isAhead, true, 'an address is missing');
  behind.close();
  const other = JournalCopy.open(path, state);
  record(state, 'a');
  other.sync();
  other.close();
  const lacking = stateIn(t, temporaryDirectory(t));
  lacking.addresses.add(0, 0, 'address-0', true);
  lacking.addresses.issue(0, null, 7);
  const ahead = JournalCopy.open(path, lacking);
  assert.equal(ahead.isAhead, true, 'a transaction is missing');
  ahead.close();
});

/** A request that is refused for good. */
function refuse(state: State, name: string): void {
  const row = record(state, name);
  const { request } = state.journal.transaction(row);
  state.stopped.refuse(request, `{"kind":"day_limit","message":"${name}"}`);
}

test('a copy has each refusal once and in its order, over openings, a mark and a torn or corrupt record', async (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'journal');
  const state = stateIn(t, directory);
  refuse(state, 'a');
  const refusals = (copy: JournalCopy): (string | undefined)[] =>
    [...copy.lines()].filter(({ refusal }) => refusal).map(({ request }) => request?.requestId);
  const copy = JournalCopy.open(path, state);
  copy.sync();
  const mark = copy.mark();
  refuse(state, 'b');
  await copy.syncUpTo(mark);
  assert.deepEqual(refusals(copy), ['a']);
  copy.sync();
  await copy.syncUpTo(mark);
  copy.sync();
  assert.deepEqual(refusals(copy), ['a', 'b']);
  copy.close();
  // The process died after it had refused and before the copy had that.
  refuse(state, 'c');
  const again = JournalCopy.open(path, state);
  again.sync();
  assert.deepEqual(refusals(again), ['a', 'b', 'c']);
  const last = [...again.lines()].at(-1);
  assert.equal(last?.refusal, '{"kind":"day_limit","message":"c"}');
  assert.equal(last?.newestRefused, 'c');
  again.close();
  const bytes = readFileSync(path);
  const at = bytes.length - 20;
  bytes[at] = (bytes[at] as number) ^ 2;
  writeFileSync(path, bytes);
  const mended = JournalCopy.open(path, state);
  assert.equal(mended.isAhead, false);
  mended.sync();
  assert.deepEqual(refusals(mended), ['a', 'b', 'c']);
  record(state, 'd');
  mended.sync();
  assert.equal([...mended.lines()].at(-1)?.newestRefused, 'c', 'later records have it');
  mended.close();
});

test('a copy is ahead of a state that lacks nothing but a refusal', (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'journal');
  const state = stateIn(t, directory);
  refuse(state, 'a');
  const copy = JournalCopy.open(path, state);
  copy.sync();
  copy.close();
  const older = stateIn(t, temporaryDirectory(t));
  const row = record(older, 'a');
  const lacking = JournalCopy.open(path, older);
  assert.equal(lacking.isAhead, true);
  older.stopped.refuse(older.journal.transaction(row).request, '{}');
  assert.equal(lacking.isAhead, false);
  lacking.close();
});

test('a copy of another wallet, a damaged one and a missing one are refused', (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'journal');
  const state = stateIn(t, directory);
  record(state, 'a');
  const copy = JournalCopy.open(path, state);
  copy.sync();
  copy.close();
  const stranger = stateIn(t, directory, { ...IDENTITY, fingerprint: 'ffeeddccbbaa9988' });
  assert.throws(() => JournalCopy.open(path, stranger), { fault: 'wrong_wallet' });
  assert.throws(() => JournalCopy.open(join(directory, 'none'), state), { fault: 'missing' });
  writeFileSync(path, 'no JSON\n', { mode: 0o600 });
  assert.throws(() => JournalCopy.open(path, state), { fault: 'damaged' });
});

test('a corrupt record costs itself alone and is named', (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'journal');
  const state = stateIn(t, directory);
  for (const name of ['a', 'b', 'c']) record(state, name);
  const copy = JournalCopy.open(path, state);
  copy.sync();
  copy.close();
  const whole = readFileSync(path);
  const [, second] = [...scanLogFile(path, 'wallet journal copy')];
  assert.ok(second !== undefined);
  for (let at = second.at; at < second.end; at += 5) {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] as number) ^ 2;
    writeFileSync(path, bytes);
    const damaged = JournalCopy.open(path, state);
    assert.deepEqual(names(damaged), ['a', 'c'], `byte ${at}`);
    assert.deepEqual(damaged.corrupt, [2]);
    assert.match(damaged.refusal().message, /records of it are corrupt: 2/);
    damaged.close();
  }
});

test('a corrupt last record is written again from the state', (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'journal');
  const state = stateIn(t, directory);
  for (const name of ['a', 'b']) record(state, name);
  const copy = JournalCopy.open(path, state);
  copy.sync();
  copy.close();
  const bytes = readFileSync(path);
  const at = bytes.length - 20;
  bytes[at] = (bytes[at] as number) ^ 2;
  writeFileSync(path, bytes);
  const again = JournalCopy.open(path, state);
  assert.equal(again.isAhead, false);
  again.sync();
  assert.deepEqual(names(again), ['a', 'b']);
  assert.deepEqual(again.corrupt, [2]);
  again.close();
});

test('many addresses are copied in several records', (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'journal');
  const state = stateIn(t, directory);
  const copy = JournalCopy.open(path, state);
  state.database.transaction(() => {
    for (let at = 0; at < 2_500; at++) {
      state.addresses.add(0, at, `address-${at}`, true);
      state.addresses.issue(0, `customer ${at}`, at);
    }
  });
  copy.sync();
  const lines = [...copy.lines()];
  assert.deepEqual(
    lines.map(({ addresses = [], next }) => [addresses[0]?.position, addresses.length, next[0]]),
    [
      [0, 1_000, 1_000],
      [1_000, 1_000, 2_000],
      [2_000, 500, 2_500],
    ],
  );
  copy.close();
});
