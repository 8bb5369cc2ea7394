import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClientEffect, ClientSession, isSameHost, type Message, REFUSALS } from 'svc-mining';
import { addressOf, CHAIN_ID, NETWORK, POW } from './samples.ts';

const OPTIONS = {
  agent: 'test/1',
  username: `${addressOf(1)}.rig`,
  tag: 'rig',
  protocol: 'svc-mining-v1',
  host: 'mine.example.org',
} as const;
const share = (byte: number) => ({ job: 7, nonce: new Uint8Array(24).fill(byte) });

const sent = (effects: readonly ClientEffect[]): Message[] =>
  effects.flatMap((effect) => (effect.type === 'send' ? [effect.message] : []));
const kinds = (effects: readonly ClientEffect[]) => effects.map(({ type }) => type);

function subscribed(isResumed: boolean): Message {
  return {
    type: 'subscribed',
    id: 1,
    session: new Uint8Array(16).fill(3),
    noncePrefix: new Uint8Array(4).fill(4),
    network: NETWORK as 'development',
    chainId: CHAIN_ID,
    pow: POW,
    protocolVersions: [],
    isResumed,
  };
}

function open(session: ClientSession, isResumed = false, now = 0): ClientEffect[] {
  const [subscribe] = sent(session.connect(now));
  assert.ok(subscribe?.type === 'subscribe');
  const [authorize] = sent(session.receive(subscribed(isResumed), now));
  assert.deepEqual(authorize, { type: 'authorize', id: 2, username: OPTIONS.username });
  return session.receive(
    { type: 'authorized', id: 2, accepted: true, address: addressOf(1), worker: 'rig' },
    now,
  );
}

test('a miner subscribes, authorizes, takes jobs and submits', () => {
  const session = new ClientSession(OPTIONS);
  assert.deepEqual(kinds(open(session)), ['authorized']);
  assert.equal(session.isOpen, true);
  const [submit] = sent(session.submit(share(1), 10));
  assert.ok(submit?.type === 'submit');
  const answered = session.receive({ type: 'submitted', id: submit.id, accepted: true }, 45);
  assert.deepEqual(answered, [{ type: 'answered', share: share(1), isAccepted: true, millis: 35 }]);
  assert.equal(session.unanswered, 0);
});

test('what was not answered goes over the next connection, and a duplicate then was counted', () => {
  const session = new ClientSession(OPTIONS);
  open(session);
  session.submit(share(1), 0);
  session.disconnect();
  session.submit(share(2), 0);
  assert.equal(session.unanswered, 2);
  const submits = sent(open(session, true)).filter((message) => message.type === 'submit');
  assert.equal(submits.length, 2);
  const duplicate = { type: 'refused', code: REFUSALS.duplicate.code, message: '' } as const;
  const outcomes = submits.flatMap(({ id }) => session.receive({ ...duplicate, id }, 0));
  assert.deepEqual(
    outcomes.map((effect) => effect.type === 'answered' && effect.isAccepted),
    [true, false],
    'the second was sent for the first time',
  );
});

test('the token of the session is sent with the next subscription, and a new prefix gives up old shares', () => {
  const session = new ClientSession(OPTIONS);
  open(session);
  session.submit(share(1), 0);
  session.disconnect();
  const [subscribe] = sent(session.connect(0));
  assert.deepEqual(subscribe?.type === 'subscribe' && subscribe.resume, new Uint8Array(16).fill(3));
  assert.deepEqual(kinds(session.receive(subscribed(false), 0)), ['lost', 'subscribed', 'send']);
});

test('shares go out no faster than servers take them, also those of a lost connection', () => {
  const session = new ClientSession(OPTIONS);
  open(session);
  const submits = (effects: readonly ClientEffect[]): number =>
    sent(effects).filter(({ type }) => type === 'submit').length;
  let now = 0;
  let made = 0;
  let out = 0;
  let crowded = 0;
  for (; now <= 10_000; now += 10) {
    const effects = [...session.submit(share(made++ % 250), now), ...session.tick(now)];
    out += submits(effects);
    crowded += effects.filter(({ type }) => type === 'crowded').length;
  }
  assert.equal(out, 24 + 8 * 10);
  const waiting = session.unanswered - out;
  assert.ok(waiting <= 24);
  assert.equal(out + crowded + waiting, made, 'what is neither sent nor queued was reported');
  session.disconnect();
  const again = submits(open(session, true, now));
  assert.ok(again <= 24, `${again} at once`);
  assert.equal(session.unanswered, out + waiting);
});

test('a server that is silent, or answers what was not asked, fails the connection', () => {
  const silent = new ClientSession(OPTIONS);
  silent.connect(0);
  assert.deepEqual(silent.tick(29_999), []);
  assert.deepEqual(kinds(silent.tick(30_000)), ['failed']);
  const confused = new ClientSession(OPTIONS);
  open(confused);
  assert.deepEqual(kinds(confused.receive({ type: 'submitted', id: 77, accepted: true }, 0)), [
    'failed',
  ]);
  assert.deepEqual(kinds(confused.receive(subscribed(false), 0)), ['failed']);
  confused.submit(share(1), 1_000);
  assert.deepEqual(kinds(confused.tick(31_000)), ['failed']);
});

test('a refused authorization names its reason', () => {
  const session = new ClientSession(OPTIONS);
  session.connect(0);
  session.receive(subscribed(false), 0);
  const { code } = REFUSALS.wrong_network;
  assert.deepEqual(session.receive({ type: 'refused', id: 2, code, message: 'no' }, 0), [
    { type: 'failed', refusal: 'wrong_network', reason: 'no' },
  ]);
});

test('a server can send its miners to another port of the same host, and nowhere else', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['mine.example.org:28781', 'mine.example.org', true],
    ['MINE.example.org:28781', 'mine.example.org', true],
    ['[::1]:28781', '::1', true],
    ['evil.example.org:28781', 'mine.example.org', false],
    ['mine.example.org.evil.org:1', 'mine.example.org', false],
    ['mine.example.org', 'mine.example.org', false],
    ['mine.example.org:0', 'mine.example.org', false],
    ['mine.example.org:65536', 'mine.example.org', false],
    ['evil.org/mine.example.org:1', 'mine.example.org', false],
  ];
  for (const [address, host, isAllowed] of cases)
    assert.equal(isSameHost(address, host), isAllowed, address);
  const session = new ClientSession(OPTIONS);
  open(session);
  assert.deepEqual(kinds(session.receive({ type: 'reconnect', address: 'evil.org:1' }, 0)), [
    'show',
  ]);
  assert.deepEqual(
    kinds(session.receive({ type: 'reconnect', address: 'mine.example.org:1' }, 0)),
    ['reconnect'],
  );
});
