/**
 * Evidence of a development network: proven again from the file alone, by the function and by the command; and every lie of
 * the table, from a node that tells it.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { StakingValidators } from 'svc-api';
import { temporaryDirectory } from 'svc-base/testing';
import {
  type Claim,
  type Evidence,
  proveClaim,
  type TrustDocument,
  verifyEvidence,
} from 'svc-client/evidence';
import { init } from 'svc-wasm';
import { trustingPeriodMillis } from 'svc-wasm/base';
import { Caller } from '../../node/test/dev/kit.ts';
import { LIES, type LieScreen } from '../../page/test/testing/lies.ts';
import { LyingProxy } from '../../page/test/testing/lying-proxy.ts';
import { WalletProcess } from './testing/svc-wallet.ts';

const COIN = 100_000_000n;
/** Cuts so far apart that a few of them outlast a checkpoint. */
const CUT_MILLIS = 60_000;

describe('evidence files', () => {
  let caller: Caller;
  let trust: TrustDocument;
  const files = new Map<Claim['kind'], Evidence>();

  before(async () => {
    await init();
    caller = await Caller.start({ cutTime: 'manual' });
    await caller.network.mine(4);
    const id = await caller.pay({ from: 0, to: 1, amount: 7n * COIN });
    const status = await caller.minedStatus(id);
    const height = status.finalized_cut?.height ?? assert.fail('not final');
    const { body } = await caller.get<{ cut: { cut_id: string; state_root: string } }>(
      `/v1/cuts/${height}`,
    );
    const list = await caller.get<StakingValidators>('/v1/staking/validators');
    const validatorId = list.body.validators[0]?.validator ?? assert.fail('no validator');
    const first = await prove({ kind: 'head' }, undefined);
    trust = first.trust ?? assert.fail('no checkpoint');
    const claims: readonly Claim[] = [
      { kind: 'cut', height, cutId: body.cut.cut_id, stateRoot: body.cut.state_root },
      { kind: 'transaction', id },
      { kind: 'payment', transactionId: id, to: caller.accountText(1), amount: String(7n * COIN) },
      { kind: 'balance', address: caller.accountText(1) },
      { kind: 'completeness', address: caller.accountText(1) },
      { kind: 'output', transactionId: id, outputIndex: 0 },
      { kind: 'outcome', transactionId: id, height, outcome: 'finalized' },
      { kind: 'payments', address: caller.accountText(1), fromHeight: 1, toHeight: height },
      { kind: 'stake', validatorId },
      { kind: 'validators' },
      { kind: 'supply' },
      { kind: 'answer', target: '/v1/node/status', identity: undefined },
    ];
    for (const claim of claims) await prove(claim, trust);
  });

  after(async () => {
    await caller?.close();
  });

  const prove = async (claim: Claim, known: TrustDocument | undefined) => {
    const report = await proveClaim(claim, known, portsOf(caller.base));
    const evidence = report.evidence ?? assert.fail(JSON.stringify(report.result));
    files.set(claim.kind, evidence);
    return report;
  };

  const portsOf = (origin: string) => ({
    origin,
    now: Date.now,
    clock: () => performance.now(),
    onStep: () => {},
  });
  const fileOf = (kind: Claim['kind']): Evidence => files.get(kind) ?? assert.fail(kind);
  const verdictOf = async (evidence: unknown, checkpoint?: TrustDocument) => {
    const options = checkpoint === undefined ? {} : { checkpoint: JSON.stringify(checkpoint) };
    return await verifyEvidence(JSON.stringify(evidence), options);
  };

  test('every kind of proof holds again from its file, for whoever has the checkpoint', async () => {
    assert.equal(files.size, 13);
    for (const [kind, evidence] of files) {
      const { result, restsOn, isOwnTrust } = await verdictOf(evidence, trust);
      assert.equal(result.verdict, kind === 'answer' ? 'signed' : 'checked', kind);
      if (kind !== 'answer')
        assert.deepEqual([restsOn?.chainId, isOwnTrust], [trust.chainId, true]);
    }
  });

  test('every lie of the table is called wrong', async (t) => {
    const proxy = await LyingProxy.start(caller.base);
    t.after(() => proxy.close());
    const kinds: Readonly<Record<LieScreen, Claim['kind']>> = {
      overview: 'head',
      cut: 'cut',
      transaction: 'transaction',
      address: 'balance',
      validators: 'validators',
      economics: 'supply',
    };
    for (const lie of LIES) {
      proxy.lie = lie;
      proxy.told = 0;
      const claim = fileOf(kinds[lie.screen]).claims[0]?.claim ?? assert.fail('no claim');
      const { result, evidence } = await proveClaim(claim, trust, portsOf(proxy.url));
      const name = `${lie.screen}: ${lie.name}: ${JSON.stringify(result)}`;
      assert.equal(result.verdict, 'wrong', name);
      assert.deepEqual([evidence, proxy.told > 0], [undefined, true], name);
    }
  });

  test('a payment is shown with payee, amount, payers, fee and time', async () => {
    const { result } = await verdictOf(fileOf('payment'));
    const facts = result.verdict === 'checked' ? result.facts : {};
    assert.deepEqual(
      [facts['to'], facts['amount'], facts['from'], facts['note_hash']],
      [caller.accountText(1), String(7n * COIN), caller.accountText(0), ''],
    );
    assert.match(facts['fee'] ?? '', /^[1-9][0-9]*$/);
    assert.match(facts['time_millis'] ?? '', /^1[0-9]{12}$/);
  });

  test('a signed answer is of the identity that the reader has pinned', async () => {
    const { head, claims } = fileOf('answer');
    assert.equal(head, null);
    const [proof] = claims;
    const claim = { ...proof?.claim, identity: '00'.repeat(48) };
    const { result } = await verdictOf({ ...fileOf('answer'), claims: [{ ...proof, claim }] });
    assert.equal(result.verdict, 'wrong');
  });

  test('a file that cannot be read, or claims nothing, proves nothing', async () => {
    const evidence = fileOf('balance');
    const [proof] = evidence.claims;
    const cases: readonly unknown[] = [
      null,
      [],
      { ...evidence, format: 'svc-evidence-v2' },
      { ...evidence, claims: [] },
      { ...evidence, claims: [{}] },
      { ...evidence, claims: [{ ...proof, claim: { kind: 'toString' } }] },
      { ...evidence, claims: [{ ...proof, claim: { kind: 'balance', address: 7 } }] },
      { ...evidence, claims: [{ ...proof, parts: { outputs: 7 } }] },
      { ...evidence, claims: [{ ...proof, parts: { __proto__: null, more: 'x' } }] },
      { ...evidence, history: { headers: [], path: '' } },
      { ...evidence, head: { ...evidence.head, network: 'toString' } },
    ];
    for (const each of cases) {
      assert.notEqual((await verdictOf(each)).result.verdict, 'checked', JSON.stringify(each));
    }
    const text = 'x'.repeat(20);
    assert.equal((await verifyEvidence(text)).result.verdict, 'unproven');
  });

  test('a checkpoint is good for its chain, however the clock of a development network goes', async () => {
    const other = await Caller.start({ cutTime: CUT_MILLIS, validators: 1 });
    const proveHead = (known: TrustDocument | undefined, now: () => number) =>
      proveClaim({ kind: 'head' }, known, {
        origin: other.base,
        now,
        clock: () => 0,
        onStep: () => {},
      });
    const period = Number(trustingPeriodMillis('development'));
    try {
      await other.network.mine(2);
      const { trust: first } = await proveHead(undefined, Date.now);
      const { result } = await verdictOf(fileOf('head'), first);
      assert.equal(result.verdict, 'wrong');
      assert.match(result.verdict === 'wrong' ? result.reason : '', /it is of chain/);
      const still = await proveHead(first, () => Date.now() + 10 * period);
      assert.equal(still.result.verdict, 'checked', 'the clock of the network stands still');
      assert.equal(still.trust?.pinnedHeight, first?.pinnedHeight);
      const foreign = await proveHead(trust, Date.now);
      assert.equal(foreign.result.verdict, 'wrong');
      await other.network.mine(Math.ceil(period / CUT_MILLIS) + 1);
      const late = await proveHead(first, Date.now);
      assert.equal(late.result.verdict, 'checked', JSON.stringify(late.result));
      assert.ok((late.trust?.pinnedHeight ?? 0) > (first?.pinnedHeight ?? 0));
      assert.deepEqual(late.trust?.earliest, {
        height: first?.pinnedHeight,
        cutId: first?.pinnedCutId,
      });
    } finally {
      await other.close();
    }
  });

  test('the command says what holds and what it rests on, and fails for a lie', async (context) => {
    const directory = temporaryDirectory(context);
    const run = (words: readonly string[]) => new WalletProcess(words, { directory }).end();
    const good = join(directory, 'good.json');
    const bad = join(directory, 'bad.json');
    const checkpoint = join(directory, 'checkpoint.json');
    const text = JSON.stringify(fileOf('balance'));
    writeFileSync(good, text);
    writeFileSync(checkpoint, JSON.stringify(trust));
    writeFileSync(bad, text.replace(caller.accountText(1), caller.accountText(2)));
    const held = await run(['verify-evidence', good, '--checkpoint', checkpoint]);
    assert.equal(held.code, 0, held.stderr);
    assert.match(
      held.stdout,
      /has [0-9.]+ coins in \d+ outputs? after cut \d+, and no other\.\n {2}rests on the number[\s\S]*proven: balance at cut \d+\nrests on cut \d+ [0-9a-f]{96}\n.*checkpoint/,
    );
    const refused = await run(['verify-evidence', bad, '--json']);
    assert.equal(refused.code, 1);
    assert.equal((JSON.parse(refused.stdout) as { verdict: string }).verdict, 'wrong');
    assert.match(refused.stderr, /does not hold/);
  });
});
