import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
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

test('a copy has every request once, over openings and after a line that a crash has torn', (t) => {
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

test('a copy has each refusal once and in its order, over openings, a mark and a torn or rotten line', async (t) => {
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
  assert.equal([...mended.lines()].at(-1)?.newestRefused, 'c', 'lines after it tell of it');
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

test('a rotten line costs what it tells and is named', (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'journal');
  const state = stateIn(t, directory);
  for (const name of ['a', 'b', 'c']) record(state, name);
  const copy = JournalCopy.open(path, state);
  copy.sync();
  copy.close();
  const whole = readFileSync(path);
  const second = whole.indexOf('\n') + 1;
  const third = whole.indexOf('\n', second) + 1;
  for (let at = second; at < third - 1; at += 5) {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] as number) ^ 2;
    writeFileSync(path, bytes);
    const rotten = JournalCopy.open(path, state);
    assert.deepEqual(names(rotten), ['a', 'c'], `byte ${at}`);
    assert.deepEqual(rotten.rotten, [2]);
    assert.match(rotten.refusal().message, /lines of it have rotted: 2/);
    rotten.close();
  }
});

test('a rotten last line is written again from the state', (t) => {
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
  assert.deepEqual(again.rotten, [2]);
  again.close();
});
