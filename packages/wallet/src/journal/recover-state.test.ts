import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import type { Keychain } from '../keys/keychain.ts';
import { JournalCopy } from '../state/journal-copy.ts';
import { openState, type State, statePath } from '../state/open-state.ts';
import { recoverState } from './recover-state.ts';

const IDENTITY = { fingerprint: '00112233aabbccdd', network: 'development' };
const REFUSAL = '{"kind":"insufficient_funds","message":"no"}';
/** No address was given out here, so that no key is asked for. */
const NO_KEYS = {} as Keychain;

/** A wallet whose state can be put back to what it was at its backup. */
class Restorable {
  readonly #wallet: string;
  readonly copyPath: string;
  state: State;

  constructor(t: TestContext) {
    const directory = temporaryDirectory(t);
    this.#wallet = join(directory, 'wallet');
    this.copyPath = join(directory, 'journal');
    this.state = openState(this.#wallet, IDENTITY, 'test');
    t.after(() => this.state.close());
  }

  /** Asks for a payment that outputs are merged for. */
  accept(name: string): number {
    const asked = { method: 'send', params: '{}', isAutomatic: false, createdAtMillis: 1 };
    const id = this.state.journal.addRequest({ requestId: name, ...asked }, 'accepted');
    this.#add(id, 'compound', `merge ${name}`);
    return id;
  }

  pay(id: number, name: string): void {
    this.#add(id, 'payment', `payment ${name}`);
    this.state.journal.finishRequest(id, '{"kind":"payment"}');
  }

  #add(request: number, kind: string, name: string): void {
    const transactionId = Buffer.from(name).toString('hex').padEnd(96, '0');
    const made = { validUntil: 10, amount: 5n, fee: 1n, recipients: '[]', createdAtMillis: 1 };
    const wire = new Uint8Array(3);
    this.state.journal.addTransaction({ request, kind, transactionId, wire, ...made });
  }

  sync(): void {
    const copy = JournalCopy.open(this.copyPath, this.state);
    copy.sync();
    copy.close();
  }

  backUp(): void {
    this.state.close();
    copyFileSync(statePath(this.#wallet), `${this.#wallet}.backup`);
    this.state = openState(this.#wallet, IDENTITY, 'test');
  }

  restore(): void {
    this.state.close();
    for (const end of ['-wal', '-shm', '.sum'])
      rmSync(`${statePath(this.#wallet)}${end}`, { force: true });
    copyFileSync(`${this.#wallet}.backup`, statePath(this.#wallet));
    this.state = openState(this.#wallet, IDENTITY, 'test');
  }

  recover(isStateAccepted = false): ReturnType<typeof recoverState> {
    const copy = JournalCopy.open(this.copyPath, this.state);
    try {
      assert.equal(copy.isAhead, true);
      const recovered = recoverState(this.state, NO_KEYS, copy, isStateAccepted);
      assert.equal(copy.isAhead, false);
      copy.sync();
      return recovered;
    } finally {
      copy.close();
    }
  }

  /** What is known of a name, and whether the daemon would go on with it by itself. */
  look(name: string): unknown[] {
    const { journal, stopped } = this.state;
    const found = journal.findRequest(name);
    const isResumed = journal.acceptedRequests().some(({ requestId }) => requestId === name);
    const isHeld = found !== undefined && stopped.isHeld(found.id);
    return [found?.state, isHeld ? 'held' : isResumed ? 'resumed' : 'left alone'];
  }
}

test('a refusal comes back from the copy, whether the backup knows the request or not', (t) => {
  const wallet = new Restorable(t);
  const known = wallet.accept('known');
  wallet.sync();
  wallet.backUp();
  const unknown = wallet.accept('unknown');
  for (const id of [unknown, known]) wallet.state.stopped.refuse(id, REFUSAL);
  wallet.sync();
  const lines = readFileSync(wallet.copyPath, 'utf8');
  wallet.restore();
  const counts = { requests: 1, transactions: 1, addresses: 0, held: 0 };
  assert.deepEqual(wallet.recover(), counts);
  for (const name of ['known', 'unknown']) {
    assert.deepEqual(wallet.look(name), ['refused', 'left alone'], name);
    assert.equal(wallet.state.journal.findRequest(name)?.refusal, REFUSAL);
  }
  assert.equal(readFileSync(wallet.copyPath, 'utf8'), lines, 'nothing is told twice');
});

test('a state that lacks nothing but a refusal gets it', (t) => {
  const wallet = new Restorable(t);
  const id = wallet.accept('a');
  wallet.sync();
  wallet.backUp();
  wallet.state.stopped.refuse(id, REFUSAL);
  wallet.sync();
  wallet.restore();
  wallet.recover();
  assert.deepEqual(wallet.look('a'), ['refused', 'left alone']);
});

test('what comes back without its end is held, and what was paid meanwhile is paid', (t) => {
  const wallet = new Restorable(t);
  const paid = wallet.accept('paid');
  wallet.accept('open before');
  wallet.sync();
  wallet.backUp();
  wallet.pay(paid, 'paid');
  wallet.accept('open');
  wallet.sync();
  wallet.restore();
  assert.equal(wallet.recover().held, 2);
  assert.deepEqual(wallet.look('paid'), ['built', 'left alone']);
  for (const name of ['open before', 'open']) {
    assert.deepEqual(wallet.look(name), ['accepted', 'held'], name);
  }
});

test('a refusal comes back although the record of its merges is corrupt', (t) => {
  const wallet = new Restorable(t);
  wallet.backUp();
  const id = wallet.accept('a');
  wallet.sync();
  wallet.state.stopped.refuse(id, REFUSAL);
  wallet.sync();
  const bytes = readFileSync(wallet.copyPath);
  bytes.write('lend', bytes.indexOf('send'));
  writeFileSync(wallet.copyPath, bytes);
  wallet.restore();
  const copy = JournalCopy.open(wallet.copyPath, wallet.state);
  assert.throws(() => recoverState(wallet.state, NO_KEYS, copy), { fault: 'damaged' });
  const recovered = recoverState(wallet.state, NO_KEYS, copy, true);
  copy.close();
  assert.deepEqual([recovered.requests, recovered.transactions], [1, 0]);
  assert.deepEqual(wallet.look('a'), ['refused', 'left alone']);
});
