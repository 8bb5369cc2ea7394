/** What a node that cannot take a transaction now means for that one and for the others. No test moves time but by hand. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock, until } from 'svc-base/testing';
import { type Client, ClientError, type Submission, type SubmissionOutcome } from 'svc-client';
import { init } from 'svc-wasm';
import { walletOf } from '../../test/testing/proving-node.ts';
import type { State } from '../state/open-state.ts';
import { Resender, type ResenderPorts } from './resender.ts';
import { Sender } from './sender.ts';

await init();

const FAR = 1_000_000;
const IDS = ['a1'.repeat(48), 'b2'.repeat(48), 'c3'.repeat(48)] as const;

interface Kit {
  readonly state: State;
  readonly clock: ManualClock;
  readonly sender: Sender;
  readonly resender: Resender;
  /** Rows of the transactions. */
  readonly rows: readonly number[];
  /** What the node answers, by transaction; it takes every other one. */
  readonly refusals: Map<string, string>;
  /** Transactions that reached the node, in their order. */
  readonly met: string[];
}

function kitOf(t: TestContext): Kit {
  const { state, transaction } = walletOf(t);
  state.journal.settle(transaction.id, { outcome: 'finalized', height: 1 });
  const { createdAtMillis, request } = transaction;
  const open = { request, kind: 'payment', amount: 1n, fee: 1n, recipients: '[]', createdAtMillis };
  const wire = new Uint8Array(3);
  const rows = IDS.map((transactionId) =>
    state.journal.addTransaction({ ...open, transactionId, wire, validUntil: FAR }),
  );
  const refusals = new Map<string, string>();
  const met: string[] = [];
  const submit = async ({ transaction_id }: Submission): Promise<SubmissionOutcome> => {
    met.push(transaction_id);
    const code = refusals.get(transaction_id);
    if (code !== undefined) throw new ClientError('refused', 'later', { status: 503, code });
    return 'accepted';
  };
  const client = { transactionsStatus: async () => ({ statuses: [] }) };
  const clock = new ManualClock();
  const ports = { state, client: client as unknown as Client, clock, log: SILENT_LOG };
  const submissions = { submit };
  const sender = new Sender({
    ...ports,
    submissions,
    reached: () => {},
    beforeSend: async () => {},
  });
  const followed = { ...ports, sender, onEvents: () => {} } as unknown as ResenderPorts;
  return { state, clock, sender, resender: new Resender(followed), rows, refusals, met };
}

test('a transaction that the mempool has no room for waits alone, and was not sent', async (t) => {
  const { state, sender, rows, refusals, met } = kitOf(t);
  const [first = 0, second = 0] = rows;
  refusals.set(IDS[0], 'mempool_full');
  assert.equal(await sender.send(first), 'waiting');
  assert.equal(sender.isNodeBusy, false);
  assert.equal(await sender.send(second), 'known');
  const { attempts, state: was } = state.journal.transaction(first);
  assert.deepEqual([attempts, was], [0, 'built']);
  assert.deepEqual(met, [IDS[0], IDS[1]]);
});

test('a transaction that was recorded with its first attempt has that attempt and no other', async (t) => {
  const { state, sender, rows, refusals } = kitOf(t);
  const wire = state.journal.wireOf(rows[0] ?? 0) as Uint8Array;
  const { id: _, ...known } = state.journal.transaction(rows[0] ?? 0);
  const record = (transactionId: string) => ({
    id: state.journal.addTransaction({ ...known, transactionId, wire }, true),
    transactionId,
    wire,
  });
  const [taken, full] = [record('d4'.repeat(48)), record('e5'.repeat(48))];
  refusals.set(full.transactionId, 'mempool_full');
  assert.deepEqual(await Promise.all([sender.sendNew(taken), sender.sendNew(full)]), [
    'known',
    'waiting',
  ]);
  const found = [taken, full].map(({ id }) => state.journal.transaction(id));
  assert.deepEqual(
    found.map(({ attempts, state: was, unanswered }) => [attempts, was, unanswered]),
    [
      [1, 'known', 0],
      [0, 'built', 0],
    ],
  );
});

test('transactions stand in line for a busy node, also when the wall clock is set back', async (t) => {
  const { state, clock, sender, rows, refusals, met } = kitOf(t);
  const [first = 0, second = 0] = rows;
  refusals.set(IDS[0], 'overloaded');
  const sent = sender.send(first);
  await until(() => clock.pending === 1, 'the first waits');
  const behind = sender.send(second);
  await until(() => state.journal.transaction(second).attempts === 1, 'the second is under way');
  clock.setWall(clock.now() - 3_600_000);
  assert.deepEqual([sender.isNodeBusy, met], [true, [IDS[0]]]);
  refusals.clear();
  clock.advance(500);
  assert.deepEqual(await Promise.all([sent, behind]), ['known', 'known']);
  assert.deepEqual(met, [IDS[0], IDS[0], IDS[1]]);
});

test('a transaction that stands in line is not sent once a cancellation of it is recorded', async (t) => {
  const { state, clock, sender, rows, refusals, met } = kitOf(t);
  const [first = 0] = rows;
  refusals.set(IDS[0], 'overloaded');
  const sent = sender.send(first);
  await until(() => clock.pending === 1, 'it waits for the node');
  const { id: _, ...made } = state.journal.transaction(first);
  const cancel = { ...made, transactionId: 'd4'.repeat(48), wire: new Uint8Array(3) };
  state.journal.addTransaction({ ...cancel, kind: 'cancel', replaces: first });
  refusals.clear();
  clock.advance(500);
  assert.equal(await sent, 'waiting');
  assert.deepEqual(met, [IDS[0]]);
  const { attempts, state: was } = state.journal.transaction(first);
  assert.deepEqual([attempts, was], [0, 'built']);
});

test('nothing is sent again while the node is busy, and everything at the next turn after', async (t) => {
  const { clock, resender, sender, rows, refusals, met } = kitOf(t);
  const [first = 0] = rows;
  for (const id of IDS) refusals.set(id, 'overloaded');
  assert.equal(await sender.send(first, { patienceMillis: 0 }), 'waiting');
  await resender.resendDue(1);
  assert.deepEqual(met, [IDS[0]]);
  clock.advance(500);
  await resender.resendDue(1);
  assert.deepEqual(met, [IDS[0], IDS[0]]);
  refusals.clear();
  clock.advance(500);
  await resender.resendDue(1);
  assert.deepEqual(met.slice(2), IDS);
});

test('transactions that only wait for a cut are not read at each of them', async (t) => {
  const { clock, resender, rows, state } = kitOf(t);
  const { request } = state.journal.transaction(rows[0] ?? 0);
  const many = { request, kind: 'payment', amount: 1n, fee: 1n, recipients: '[]' };
  state.database.transaction(() => {
    for (let at = 0; at < 200; at++) {
      const transactionId = at.toString(16).padStart(96, 'd');
      const wire = new Uint8Array(3);
      const made = { ...many, transactionId, wire, validUntil: FAR, createdAtMillis: 0 };
      state.journal.markKnown(state.journal.addTransaction(made));
    }
  });
  // Every fourth cut the node is asked for all that it has taken.
  await resender.resendDue(4);
  for (const { id } of state.journal.unsent()) state.journal.markKnown(id);
  clock.advance(3_600_000);
  const { journal, outputs } = state;
  const lists = (['expiredAt', 'contested', 'unsent', 'known'] as const).map((list) =>
    t.mock.method(journal, list),
  );
  const others = [t.mock.method(journal, 'open'), t.mock.method(outputs, 'reservedBy')];
  await resender.resendDue(5);
  const read = lists.flatMap(({ mock }) => mock.calls.flatMap(({ result }) => result ?? []));
  assert.equal(read.length, 0, 'rows');
  assert.equal(
    others.reduce((sum, { mock }) => sum + mock.callCount(), 0),
    0,
  );
  assert.ok(lists.some(({ mock }) => mock.callCount() > 0));
});
