import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Message,
  type PendingShare,
  REFUSALS,
  type ServerEffect,
  type ServerMessage,
  targetNumber,
} from 'svc-mining';
import { toHex } from 'svc-wasm/base';
import { Bench } from './bench.ts';
import { addressOf, CHAIN_ID, minerOf, POW } from './samples.ts';

const sent = (effects: readonly ServerEffect[]): ServerMessage[] =>
  effects.flatMap((effect) => (effect.type === 'send' ? [effect.message] : []));
const kinds = (effects: readonly ServerEffect[]) =>
  effects.map((effect) => (effect.type === 'send' ? effect.message.type : effect.type));

function refusal(effects: readonly ServerEffect[]): string | undefined {
  return effects.find((effect) => effect.type === 'refused')?.refusal;
}

function pendingOf(effects: readonly ServerEffect[]): PendingShare {
  const check = effects.find((effect) => effect.type === 'check');
  assert.ok(check !== undefined, JSON.stringify(kinds(effects)));
  return check.share;
}

test('[STRATUM-01] a subscription with agent and tag is answered with a nonce prefix; a pool names its address', () => {
  const bench = new Bench();
  const subscribe: Message = { type: 'subscribe', id: 1, agent: 'test/1', tag: 'rig (7)' };
  const [answer] = sent(bench.session().receive(subscribe, 0));
  assert.ok(answer?.type === 'subscribed');
  assert.equal(answer.noncePrefix.length, 4);
  assert.equal(answer.poolAddress, undefined);
  assert.deepEqual([answer.pow, answer.chainId, answer.isResumed], [POW, CHAIN_ID, false]);
  const pool = new Bench({ poolAddress: addressOf(99) });
  const [other] = sent(pool.session().receive(subscribe, 0));
  assert.equal(other?.type === 'subscribed' && other.poolAddress, addressOf(99));
});

test('[STRATUM-02] [AUTH-06] a username is <address>.<worker>; what is wrong with it is said', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    [`${addressOf(1)}.rig-1`, undefined],
    [addressOf(1), undefined],
    [`${addressOf(1).toUpperCase()}.rig`, undefined],
    [`${addressOf(1, 'mainnet')}.rig`, 'wrong_network'],
    [`${addressOf(1).slice(0, -1)}.rig`, 'bad_address'],
    ['.rig', 'bad_address'],
    [`${addressOf(1)}.`, 'bad_worker'],
    [`${addressOf(1)}.a b`, 'bad_worker'],
    [`${addressOf(1)}.<b>`, 'bad_worker'],
    [`${addressOf(1)}.${'w'.repeat(33)}`, 'bad_worker'],
  ];
  for (const [username, expected] of cases) {
    const session = new Bench().session();
    session.receive({ type: 'subscribe', id: 1, agent: 'test' }, 0);
    const effects = session.receive({ type: 'authorize', id: 2, username }, 0);
    assert.equal(refusal(effects), expected, username);
    const [answer] = sent(effects);
    if (answer?.type === 'refused') assert.match(answer.message, /expected|not bech32m|longer/);
    else assert.ok(answer?.type === 'authorized' && answer.address === addressOf(1));
  }
});

test('[STRATUM-06] tags of up to 20 allowed characters pass, others are refused with what is allowed', () => {
  for (const tag of ['', 'a'.repeat(20), 'A z0._-/:+@#()!'])
    assert.equal(
      refusal(new Bench().session().receive({ type: 'subscribe', id: 1, agent: '', tag }, 0)),
      undefined,
    );
  for (const tag of ['a'.repeat(21), '<b>', 'a"b', '~', 'a\0', 'a\nb', '\u001b[2J', '\u202e']) {
    const effects = new Bench().session().receive({ type: 'subscribe', id: 1, agent: '', tag }, 0);
    assert.equal(refusal(effects), 'bad_tag');
    assert.match(String((sent(effects)[0] as { message: string }).message), /up to 20 of letters/);
  }
});

test('[TEMPLATE-02] [STRATUM-03] a job is a header of 312 bytes with a zero nonce, block target and share target', () => {
  const bench = new Bench();
  const session = bench.ready(1);
  bench.jobs.advance(40);
  const job = bench.job(10);
  const [notify] = sent(session.offer(job, false));
  assert.ok(notify?.type === 'notify');
  assert.equal(notify.header.length, 312);
  assert.ok(notify.header.subarray(288).every((byte) => byte === 0));
  assert.deepEqual(notify.blockTarget, job.blockTarget);
  assert.ok(targetNumber(notify.shareTarget) >= targetNumber(job.blockTarget));
  assert.deepEqual([notify.height, notify.anchorHeight, notify.expiresHeight], [40, 10, 106]);
});

test('a share target is never harder than the block', () => {
  const bench = new Bench({ vardiff: { start: 1n << 250n, least: 1n } });
  const job = bench.job(10);
  const [notify] = sent(bench.ready(1).offer(job, false));
  assert.deepEqual(notify?.type === 'notify' && notify.shareTarget, job.blockTarget);
});

test('[STRATUM-08] a share is checked with the header of the server and the nonce alone', () => {
  const bench = new Bench();
  const session = bench.ready(1);
  const job = bench.job(10);
  session.offer(job, false);
  const nonce = bench.nonce(session, 5);
  const share = pendingOf(session.receive({ type: 'submit', id: 3, job: job.number, nonce }, 0));
  assert.equal(toHex(share.header), toHex(job.header.subarray(0, 288)) + toHex(nonce));
  assert.deepEqual(share.miner, minerOf(1));
  const [answer] = sent(session.settle(share, { type: 'accepted', block: 'accepted' }));
  assert.deepEqual(answer, { type: 'submitted', id: 3, accepted: true, block: 'accepted' });
});

test('every way in which a share can be wrong has its own refusal', () => {
  const bench = new Bench();
  const session = bench.ready(1);
  const job = bench.job(10);
  session.offer(job, false);
  const other = bench.job(10);
  const nonce = bench.nonce(session, 5);
  const submit = (number: number, bytes: Uint8Array) =>
    session.receive({ type: 'submit', id: 3, job: number, nonce: bytes }, 0);
  assert.equal(refusal(submit(other.number, nonce)), 'unknown_job', 'a job of others');
  assert.equal(refusal(submit(12_345, nonce)), 'unknown_job');
  assert.equal(refusal(submit(job.number, new Uint8Array(24).fill(255))), 'wrong_prefix');
  const share = pendingOf(submit(job.number, nonce));
  assert.equal(refusal(submit(job.number, nonce)), 'duplicate', 'while it is being checked');
  assert.equal(refusal(session.settle(share, { type: 'low_difficulty' })), 'low_difficulty');
  assert.equal(refusal(submit(job.number, nonce)), 'duplicate', 'and after');
  bench.jobs.advance(105);
  assert.equal(refusal(submit(job.number, bench.nonce(session, 6))), 'stale');
  const stranger = bench.session();
  const early: Message = { type: 'submit', id: 3, job: job.number, nonce };
  assert.equal(refusal(stranger.receive(early, 0)), 'not_subscribed');
  stranger.receive({ type: 'subscribe', id: 1, agent: '' }, 0);
  assert.equal(refusal(stranger.receive(early, 0)), 'unauthorized');
});

test('a share that could not be checked may come again', () => {
  const bench = new Bench();
  const session = bench.ready(1);
  const job = bench.job(10);
  session.offer(job, false);
  const nonce = bench.nonce(session, 5);
  const submit = () => session.receive({ type: 'submit', id: 3, job: job.number, nonce }, 0);
  const effects = session.settle(pendingOf(submit()), { type: 'not_checked', refusal: 'too_fast' });
  assert.equal(refusal(effects), 'too_fast');
  assert.ok(pendingOf(submit()));
});

test('a share that was counted is a duplicate after a reconnect, and the prefix and jobs are still there', () => {
  const bench = new Bench();
  const session = bench.ready(1);
  const job = bench.job(10);
  session.offer(job, false);
  const nonce = bench.nonce(session, 5);
  const submit: Message = { type: 'submit', id: 3, job: job.number, nonce };
  session.settle(pendingOf(session.receive(submit, 0)), { type: 'accepted' });
  session.disconnect();
  const again = bench.ready(1, { resume: bench.lastToken });
  assert.deepEqual(again.prefix, session.prefix);
  assert.equal(refusal(again.receive(submit, 0)), 'duplicate');
  assert.ok(pendingOf(again.receive({ ...submit, nonce: bench.nonce(again, 6) }, 0)));
});

test('a share of a job that ended meanwhile is stale after a reconnect, not a lie', () => {
  const bench = new Bench();
  const session = bench.ready(1);
  const [first, second] = [bench.job(10), bench.job(11)];
  for (const job of [first, second]) session.offer(job, false);
  session.disconnect();
  bench.jobs.advance(105);
  const again = bench.ready(1, { resume: bench.lastToken });
  const submit = { type: 'submit', id: 3, nonce: bench.nonce(again, 5) } as const;
  const effects = again.receive({ ...submit, job: first.number }, 0);
  assert.equal(refusal(effects), 'stale');
  assert.ok(!effects.some(({ type }) => type === 'offence'));
  assert.ok(pendingOf(again.receive({ ...submit, job: second.number }, 0)));
});

test('a session that is resumed while its old connection seems alive moves to the new one', () => {
  const bench = new Bench();
  const owner = { name: 'old' };
  const old = bench.ready(1, {}, owner);
  old.offer(bench.job(10), false);
  const fresh = bench.session({ name: 'new' });
  const effects = fresh.receive(
    { type: 'subscribe', id: 1, agent: '', resume: bench.lastToken },
    0,
  );
  assert.deepEqual(effects[0], { type: 'replaced', owner });
  old.disconnect();
  assert.deepEqual(fresh.prefix, old.prefix);
  assert.equal(bench.sessions.detached, 0, 'the old connection takes nothing with it');
});

test('a resumed session belongs to the username that it had', () => {
  const bench = new Bench();
  const session = bench.ready(1);
  session.offer(bench.job(10), false);
  session.disconnect();
  const thief = bench.session();
  thief.receive({ type: 'subscribe', id: 1, agent: '', resume: bench.lastToken }, 0);
  const username = `${addressOf(2)}.rig`;
  assert.equal(refusal(thief.receive({ type: 'authorize', id: 2, username }, 0)), 'unauthorized');
});

test('a session without a connection ends with its last job, and its prefix is free then', () => {
  const bench = new Bench();
  const session = bench.ready(1);
  session.offer(bench.job(10), false);
  session.disconnect();
  assert.deepEqual([bench.sessions.size, bench.prefixes.used], [1, 1]);
  bench.jobs.advance(105);
  bench.sessions.sweep();
  assert.deepEqual([bench.sessions.size, bench.prefixes.used], [0, 0]);
  bench.session().disconnect();
  assert.equal(bench.sessions.size, 0);
});

test('what breaks the protocol is answered once and ends the connection', () => {
  const bench = new Bench();
  const session = bench.ready(1);
  assert.deepEqual(kinds(session.receiveBroken('a line is too long')), [
    'refused',
    'refused',
    'offence',
    'close',
  ]);
  assert.deepEqual(session.receive({ type: 'subscribe', id: 1, agent: '' }, 0), []);
  const talker = bench.ready(2);
  const notice: Message = { type: 'show', text: 'hello' };
  assert.equal(kinds(talker.receive(notice, 0)).at(-1), 'close');
});

test('floods: messages are bounded, shares are bounded, checks that wait are bounded', () => {
  const bench = new Bench({ pendingMax: 2, shares: { perSecond: 1, burst: 4 } });
  const session = bench.ready(1);
  const job = bench.job(10);
  session.offer(job, false);
  const submit = (number: number) =>
    session.receive(
      { type: 'submit', id: number, job: job.number, nonce: bench.nonce(session, number) },
      0,
    );
  const shares = [pendingOf(submit(1)), pendingOf(submit(2))];
  assert.equal(refusal(submit(3)), 'too_fast', 'two wait');
  for (const share of shares) session.settle(share, { type: 'accepted' });
  assert.ok(pendingOf(submit(4)));
  const flooded = bench.ready(2);
  const ends = Array.from({ length: 200 }, () =>
    kinds(flooded.receive({ type: 'authorize', id: 9, username: 'x' }, 0)),
  ).filter((effects) => effects.includes('close'));
  assert.equal(ends.length, 1);
});

test('a client that is not authorized in half a minute is disconnected; a miner may be quiet for minutes', () => {
  const bench = new Bench();
  const silent = bench.session();
  assert.deepEqual(silent.tick(29_999), []);
  assert.deepEqual(kinds(silent.tick(30_000)), ['offence', 'close']);
  const quiet = bench.ready(1);
  assert.ok(!kinds(quiet.tick(600_000)).includes('close'));
  assert.deepEqual(kinds(quiet.tick(900_000)), ['close']);
});

test('the difficulty follows the shares, is announced, and holds from the next job on', () => {
  const bench = new Bench({ vardiff: { start: 1_000n, least: 1n } });
  const session = bench.ready(1);
  const job = bench.job(10);
  session.offer(job, false);
  for (let share = 0; share < 10; share++) {
    const nonce = bench.nonce(session, share);
    const effects = session.receive({ type: 'submit', id: share, job: job.number, nonce }, share);
    session.settle(pendingOf(effects), { type: 'accepted' });
  }
  assert.deepEqual(kinds(session.tick(1_000)), ['setTarget']);
  assert.equal(session.difficulty, 4_000n);
  const nonce = bench.nonce(session, 99);
  const old = pendingOf(session.receive({ type: 'submit', id: 99, job: job.number, nonce }, 2_000));
  assert.equal(old.difficulty, 1_000n, 'the job keeps the target that it was given with');
  session.disconnect();
  assert.equal(bench.ready(1, { resume: bench.lastToken }).difficulty, 4_000n);
});

test('numbers of refusals never change', () => {
  const frozen = {
    internal: 20,
    unknown_job: 21,
    duplicate: 22,
    low_difficulty: 23,
    unauthorized: 24,
    not_subscribed: 25,
    stale: 26,
    wrong_prefix: 27,
    too_fast: 28,
    bad_message: 29,
    bad_address: 30,
    wrong_network: 31,
    bad_worker: 32,
    bad_tag: 33,
    unsupported_protocol: 34,
    no_work: 35,
    banned: 36,
    full: 37,
  };
  const codes = Object.entries(REFUSALS).map(([name, { code }]) => [name, code]);
  assert.deepEqual(Object.fromEntries(codes), frozen);
});
