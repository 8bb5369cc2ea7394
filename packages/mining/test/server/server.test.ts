import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PowBusyError } from 'svc-mining/pow';
import { sourceOf } from 'svc-mining/server';
import { STUB_BODY_HEX, StubNode } from 'svc-mining/testing';
import { init } from 'svc-wasm';
import { startKit } from './kit.ts';

await init();

const HARD = '00'.repeat(4) + 'ff'.repeat(28);
const high = async () => new Uint8Array(32).fill(0xff);
/** Far more than a ban needs: the points of an offence fade with time, which passes at its own pace here. */
const BAD_SHARES_MAX = 1_000;
const middle = async () => new Uint8Array(32).fill(0x11);

async function node(
  t: { after(call: () => Promise<void>): void },
  options = {},
): Promise<StubNode> {
  const stub = await new StubNode(options).start();
  t.after(() => stub.stop());
  return stub;
}

test('[STRATUM-08] a block is with the node before the share is written down, and is answered after that', async (t) => {
  const stub = await node(t);
  const order: string[] = [];
  stub.onCandidate = async () => void order.push('the node has the block');
  const onShare = async () => void order.push('the share is written down');
  const kit = await startKit(t, { nodes: [stub], onShare });
  const miner = kit.miner().login(1);
  const { job } = await miner.job();
  const answer = await miner.answer(miner.submit(job, 1));
  order.push('the miner is answered');
  assert.deepEqual(order, [
    'the node has the block',
    'the share is written down',
    'the miner is answered',
  ]);
  assert.ok(answer.type === 'submitted' && answer.block === 'accepted');
});

test('the block that goes to the node has the header of the server and the nonce of the miner', async (t) => {
  const stub = await node(t);
  const kit = await startKit(t, { nodes: [stub] });
  const miner = kit.miner().login(1);
  const { job, header } = await miner.job();
  await miner.answer(miner.submit(job, 0xabcdef01));
  const sent = Buffer.from(stub.candidates[0] as string, 'hex');
  assert.deepEqual(sent.subarray(0, 288), Buffer.from(header.subarray(0, 288)));
  assert.equal(sent.subarray(288, 292).toString('hex'), 'abcdef01');
});

test('a body serves for one block: the second is not sent, and all miners of it get a clean job', async (t) => {
  const stub = await node(t);
  const kit = await startKit(t, { nodes: [stub] });
  const [one, two] = [kit.miner().login(1), kit.miner().login(1, 'other')];
  const { job } = await one.job();
  await two.job();
  const [first, second] = [one.submit(job, 1), two.submit(job, 2)];
  const answers = [await one.answer(first), await two.answer(second)];
  assert.deepEqual(
    answers.map((answer) => answer.type === 'submitted' && answer.block).toSorted(),
    ['accepted', 'used'],
  );
  assert.equal(stub.candidates.length, 1);
  for (const miner of [one, two]) await miner.job((each) => each.job !== job && each.isClean);
});

test('miners of one address share a template; another address or tag has its own', async (t) => {
  const stub = await node(t);
  const kit = await startKit(t, { nodes: [stub] });
  const [one, two] = [kit.miner().login(1), kit.miner()];
  const first = await one.job();
  two.login(1, 'second');
  assert.equal((await two.job()).job, first.job);
  assert.notEqual((await kit.miner().login(2).job()).job, first.job);
  assert.notEqual((await kit.miner().login(1, 'third', 'tag').job()).job, first.job);
  assert.equal(kit.server.addresses, 3);
  stub.cut();
  const next = await one.job(({ anchorHeight }) => anchorHeight === 2);
  assert.equal(next.isClean, false, 'older jobs are still worth something');
});

test('bodies have a limit: the oldest jobs end early, the newest of each address stays, further addresses wait', async (t) => {
  const stub = await node(t);
  const kit = await startKit(t, { nodes: [stub], bodyCharactersMax: 3 * STUB_BODY_HEX.length });
  const [one, two] = [kit.miner().login(1), kit.miner().login(2)];
  const first = await one.job();
  await two.job();
  for (let height = 2; height <= 4; height++) {
    stub.cut();
    for (const miner of [one, two]) await miner.job(({ anchorHeight }) => anchorHeight === height);
  }
  const late = await one.answer(one.submit(first.job, 1));
  assert.ok(late.type === 'refused' && late.code === 26, 'its body went');
  const third = kit.miner().login(3);
  await third.job();
  await assert.rejects(kit.miner().login(4).job(), /closed/);
  for (const miner of [one, two, third]) {
    const { job } = await miner.job(({ anchorHeight }) => anchorHeight === 4);
    const answer = await miner.answer(miner.submit(job, 2));
    assert.ok(answer.type === 'submitted' && answer.block === 'accepted');
  }
});

test('a node that is behind or gone: miners are notified, keep their job, and their shares count', async (t) => {
  const stub = await node(t, { target: HARD });
  const kit = await startKit(t, { nodes: [stub], hash: middle });
  const miner = kit.miner().login(1);
  const { job } = await miner.job();
  stub.isBehind = true;
  stub.cut();
  await miner.seen('show', ({ text }) => text.includes('behind'));
  const counted = await miner.answer(miner.submit(job, 1));
  assert.equal(counted.type, 'submitted');
  await stub.stop();
  await miner.seen('show', ({ text }) => text.includes('does not answer'));
  assert.equal((await miner.answer(miner.submit(job, 2))).type, 'submitted');
  stub.isBehind = false;
  stub.height = 5;
  await stub.start();
  await miner.seen('show', ({ text }) => text.includes('back'));
  await miner.job(({ anchorHeight }) => anchorHeight === 5);
  assert.equal((await miner.answer(miner.submit(job, 3))).type, 'submitted', 'its window is open');
  stub.cut(96);
  await miner.job(({ anchorHeight }) => anchorHeight === 96);
  const stale = await miner.answer(miner.submit(job, 4));
  assert.ok(stale.type === 'refused' && stale.code === 26, 'heights end a job');
});

test('of several nodes the first that answers serves, a block goes to the next if one is gone, and a foreign chain is left alone', async (t) => {
  const [first, second] = [await node(t), await node(t)];
  const foreign = await node(t, { chainId: '09'.repeat(48) });
  const kit = await startKit(t, { nodes: [first, foreign, second] });
  assert.equal(kit.source.nodeUrl, first.url.href);
  const miner = kit.miner().login(1);
  const { job } = await miner.job();
  await first.stop();
  await miner.job((each) => each.job !== job || each.isClean);
  const answer = await miner.answer(miner.submit(job, 1));
  assert.ok(answer.type === 'submitted' && answer.block === 'accepted');
  assert.equal(foreign.candidates.length, 0);
  assert.equal(second.candidates.length, 1);
});

test('a refusal of the node is reported: late, used, and by its code', async (t) => {
  const stub = await node(t);
  const kit = await startKit(t, { nodes: [stub] });
  const miner = kit.miner().login(1);
  const expected = [
    ['late', 409, 'late'],
    ['used', 400, 'body_used'],
    ['refused', 400, 'wrong_target'],
  ] as const;
  const seen = new Set<number>();
  for (const [result, status, code] of expected) {
    stub.refusals.push({ status, code });
    const { job } = await miner.job((each) => !seen.has(each.job));
    seen.add(job);
    const answer = await miner.answer(miner.submit(job, 1));
    assert.equal(answer.type === 'submitted' && answer.block, result);
  }
});

test('the next dataset is announced ahead of its period, and jobs of both sides continue', async (t) => {
  const stub = await node(t, { intervalCuts: 4, target: HARD });
  stub.height = 100;
  const kit = await startKit(t, { nodes: [stub], hash: middle });
  const miner = kit.miner().login(1);
  const before = await miner.job();
  assert.equal(before.period, 0);
  stub.cut(116);
  const notice = await miner.seen('period');
  assert.deepEqual([notice.period, notice.startsHeight], [1, 120]);
  stub.cut(120);
  const after = await miner.job(({ period }) => period === 1);
  assert.equal((await miner.answer(miner.submit(before.job, 1))).type, 'submitted');
  assert.equal((await miner.answer(miner.submit(after.job, 1))).type, 'submitted');
});

test('when no more can be checked a share is refused as too fast, and may come again', async (t) => {
  const stub = await node(t, { target: HARD });
  let isBusy = true;
  const hash = async () => {
    if (isBusy) throw new PowBusyError('busy');
    return new Uint8Array(32).fill(0x11);
  };
  const kit = await startKit(t, { nodes: [stub], hash });
  const miner = kit.miner().login(1);
  const { job } = await miner.job();
  const refused = await miner.answer(miner.submit(job, 1));
  assert.ok(refused.type === 'refused' && refused.code === 28);
  isBusy = false;
  assert.equal((await miner.answer(miner.submit(job, 1))).type, 'submitted');
});

test('floods of bad shares and broken lines ban their source, and no other', async (t) => {
  const stub = await node(t, { target: HARD });
  const kit = await startKit(t, { nodes: [stub], hash: high, difficulty: 2n });
  const honest = kit.miner('203.0.113.8').login(2);
  await honest.job();
  for (let tries = 0; tries < 4; tries++) {
    const broken = kit.miner('203.0.113.7');
    broken.sayRaw(new Uint8Array(1 << 20).fill(0x7b));
    assert.equal(broken.isClosed, true);
  }
  assert.equal(kit.miner('203.0.113.7').isRefused, true);
  assert.equal(kit.server.bans.active, 1);
  const liar = kit.miner('203.0.113.9').login(1);
  const { job } = await liar.job();
  for (let shares = 1; shares <= BAD_SHARES_MAX && !liar.isClosed; shares++) {
    const answer = await liar.answer(liar.submit(job, shares));
    assert.equal(answer.type === 'refused' && answer.code, 23, 'low_difficulty');
  }
  assert.ok(liar.isClosed);
  assert.equal(kit.miner('203.0.113.9').isRefused, true);
  assert.equal(kit.server.bans.active, 2);
  assert.equal(kit.miner('203.0.113.8').isRefused, false);
  assert.equal(honest.isClosed, false);
  assert.ok((kit.statistics.refusals.get('banned') ?? 0) > 0);
});

test('sources are an IPv4 address or a /64, however they are written', () => {
  assert.equal(sourceOf('203.0.113.7'), '203.0.113.7/32');
  assert.equal(sourceOf('::ffff:203.0.113.7'), '203.0.113.7/32');
  assert.equal(sourceOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  assert.equal(sourceOf('2001:db8:1:2:ffff::1'), '2001:db8:1:2::/64');
  assert.equal(sourceOf(undefined), 'unknown');
});

test('a miner that does not read is let go, and one source has not all connections', async (t) => {
  const stub = await node(t);
  const kit = await startKit(t, { nodes: [stub] });
  const slow = kit.miner().login(1);
  await slow.job();
  slow.unsent = 1 << 20;
  slow.say({ type: 'authorize', id: 9, username: 'x' });
  assert.equal(slow.isClosed, true);
  const many = Array.from({ length: 1_030 }, () => kit.miner('203.0.113.9'));
  assert.equal(many.filter(({ isRefused }) => isRefused).length, 6);
});

test('thousands of workers are counted, and the list of them is bounded', async (t) => {
  const stub = await node(t);
  const kit = await startKit(t, { nodes: [stub] });
  for (let number = 0; number < 5_000; number++)
    kit.statistics.addConnection({ address: 'a', worker: `w${number}` });
  assert.equal(kit.statistics.workers.length, 4_096);
  for (let number = 0; number < 3_000; number++)
    kit.miner(`203.0.113.${number % 100}`).login(1, 'same');
  const line = kit.statistics.workers.find(({ worker }) => worker === 'same');
  assert.equal(line?.connections, 3_000);
});
