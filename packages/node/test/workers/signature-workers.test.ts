import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type LogFields, SILENT_LOG } from 'svc-base/pure';
import { encodeMessage, height, NIL, NO_ROUND, round } from 'svc-consensus/machine';
import { init } from 'svc-wasm';
import { createManifest } from 'svc-wasm/protocol';
import { CHAIN_ID, makeCommittee, signAs } from '../../../consensus/test/machine/wire/committee.ts';
import { previousOutputBytes } from '../../../protocol/src/transaction/previous-output.ts';
import { person, signAll } from '../../../protocol/test/transaction-fixture.ts';
import { InlineSignatures } from '../../src/workers/inline-signatures.ts';
import {
  WorkerDiedError,
  WorkersBusyError,
  WorkersClosedError,
} from '../../src/workers/signature-checks.ts';
import {
  SignatureWorkers,
  type SignatureWorkersOptions,
} from '../../src/workers/signature-workers.ts';
import { DEADLY } from './testing/deadly.ts';

const MORTAL = new URL('./testing/mortal-worker.ts', import.meta.url);
const COMMITTEE = makeCommittee('workers', [5n, 4n, 3n]);
const COIN = 100_000_000n;

function start(options: Partial<SignatureWorkersOptions> = {}): Promise<SignatureWorkers> {
  return SignatureWorkers.start({
    manifestJson: manifest.json,
    threads: 1,
    log: SILENT_LOG,
    onFatal: (error) => assert.ifError(error),
    ...options,
  });
}

await init();
const manifest = createManifest('development', CHAIN_ID, {});
const good = {
  wire: signAll({}, manifest).wire,
  previousOutputs: previousOutputBytes(person(0).addressBytes, 100n * COIN),
  owner: null,
  registeredKeys: new Uint8Array(),
};
const workers = await start();
after(() => workers.close());

function vote(validatorIndex: number): Uint8Array {
  const content = {
    kind: 'prevote',
    height: height(4),
    round: round(0),
    validRound: NO_ROUND,
    value: NIL,
    validatorIndex,
  } as const;
  return encodeMessage(COMMITTEE.wire, signAs(COMMITTEE, content));
}

test('each transaction is said to hold, or why not, by a worker and without one', async () => {
  const spoiled = { ...good, wire: good.wire.slice() };
  spoiled.wire[spoiled.wire.length - 100] = 1 ^ (spoiled.wire.at(-100) ?? 0);
  const stranger = {
    ...good,
    previousOutputs: previousOutputBytes(person(3).addressBytes, 100n * COIN),
  };
  const requests = [good, spoiled, { ...good, wire: good.wire.slice(1) }, stranger, good];
  const verdicts = await Promise.all(
    requests.map((request) => workers.checkTransaction(request, 'submission')),
  );
  const inline = new InlineSignatures(manifest.json);
  for (const [place, request] of requests.entries())
    assert.deepEqual(await inline.checkTransaction(request), verdicts[place]);
  assert.deepEqual(
    verdicts.map((refusal) => refusal?.code ?? null),
    [null, 'bad_spend_signature', verdicts[2]?.code, 'key_mismatch', null],
  );
  assert.ok(verdicts[2] !== null);
  assert.equal(verdicts[1]?.path, 'witnesses[0]');
});

test('messages of validators are checked against the sets that were learnt', async () => {
  const changed = vote(1);
  const messages = [vote(0), vote(2), changed.with(200, 1 ^ (changed[200] ?? 0))];
  for (const checks of [workers, new InlineSignatures(manifest.json)]) {
    const [before] = await checks.checkMessages(messages.slice(0, 1));
    assert.deepEqual(before, { holds: false, code: 'wrong_validator_set' });
    checks.learnSet(COMMITTEE.encodedSet);
    const verdicts = await checks.checkMessages(messages);
    assert.deepEqual(
      verdicts.map(({ holds }) => holds),
      [true, true, false],
    );
  }
});

test('the sets learnt last are known, also when one is learnt again and again', async () => {
  const others = [1n, 2n, 3n].map((stake) => makeCommittee('another', [stake]).encodedSet);
  for (const encoded of [COMMITTEE.encodedSet, ...others, ...others, ...others])
    workers.learnSet(encoded);
  assert.deepEqual(await workers.checkMessages([vote(0)]), [{ holds: true }]);
  workers.learnSet(makeCommittee('another', [4n]).encodedSet);
  const [forgotten] = await workers.checkMessages([vote(0)]);
  assert.deepEqual(forgotten, { holds: false, code: 'wrong_validator_set' });
});

test('messages of validators go before blocks, and blocks before submissions', async () => {
  workers.learnSet(COMMITTEE.encodedSet);
  const order: string[] = [];
  const many = (name: string, count: number, run: () => Promise<unknown>) =>
    Array.from({ length: count }, () => run().then(() => order.push(name)));
  await Promise.all([
    ...many('submission', 30, () => workers.checkTransaction(good, 'submission')),
    ...many('block', 5, () => workers.checkTransaction(good, 'block')),
    ...many('message', 3, () => workers.checkMessages([vote(0)])),
  ]);
  assert.deepEqual(order, [
    ...new Array(3).fill('message'),
    ...new Array(5).fill('block'),
    ...new Array(30).fill('submission'),
  ]);
});

test('a line has an end: what does not fit is refused at once, and others can wait for room', async (t) => {
  const small = await start({ lineBytesMax: 3 * good.wire.length });
  t.after(() => small.close());
  const accepted = Array.from({ length: 3 }, () => small.checkTransaction(good, 'submission'));
  assert.equal(small.hasRoom('submission'), false);
  assert.equal(small.hasRoom('block'), true);
  await assert.rejects(small.checkTransaction(good, 'submission'), WorkersBusyError);
  await small.room('submission');
  assert.equal(small.hasRoom('submission'), true);
  assert.equal(await small.checkTransaction(good, 'submission'), null);
  assert.deepEqual(await Promise.all(accepted), [null, null, null]);
});

test('a worker that dies is replaced; its jobs are done, and only the one that kills is given up', async (t) => {
  const warnings: LogFields[] = [];
  const log = { ...SILENT_LOG, warn: (fields: LogFields) => void warnings.push(fields) };
  const mortal = await start({ program: MORTAL, log });
  t.after(() => mortal.close());
  mortal.learnSet(COMMITTEE.encodedSet);
  const deadly = { ...good, wire: DEADLY };
  const jobs = [good, good, deadly, good, good].map((request) =>
    mortal.checkTransaction(request, 'submission'),
  );
  const results = await Promise.allSettled(jobs);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  assert.ok(results[2]?.status === 'rejected' && results[2].reason instanceof WorkerDiedError);
  assert.equal(warnings.length, 2);
  assert.deepEqual(await mortal.checkMessages([vote(1)]), [{ holds: true }]);
});

test('workers that cannot start are fatal after a few tries', async () => {
  const fatal: Error[] = [];
  const program = new URL('./testing/broken-worker.ts', import.meta.url);
  const onFatal = (error: Error) => void fatal.push(error);
  await assert.rejects(start({ program, onFatal }), WorkerDiedError);
  assert.equal(fatal.length, 1);
  assert.match(fatal[0]?.message ?? '', /does not start/);
});

test('what is not answered when the workers close is answered with an error', async () => {
  const closing = await start();
  const jobs = Array.from({ length: 80 }, () => closing.checkTransaction(good, 'submission'));
  const settled = Promise.allSettled(jobs);
  await closing.close();
  await closing.close();
  const rejected = (await settled).filter(({ status }) => status === 'rejected');
  assert.ok(rejected.length > 40, `${rejected.length} of 80`);
  await assert.rejects(closing.checkTransaction(good, 'block'), WorkersClosedError);
  await closing.room('block');
  assert.equal(closing.hasRoom('block'), false);
});
