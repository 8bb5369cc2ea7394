/**
 * Evidence files: proven again from the file alone, by the function and by the command, and every lie of the table found
 * in a changed file.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
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
    const first = await prove({ kind: 'head' }, undefined);
    trust = first.trust ?? assert.fail('no checkpoint');
    const claims: readonly Claim[] = [
      { kind: 'cut', height, cutId: body.cut.cut_id, stateRoot: body.cut.state_root },
      { kind: 'transaction', id },
      { kind: 'payment', transactionId: id, to: caller.accountText(1), amount: String(7n * COIN) },
      { kind: 'balance', address: caller.accountText(1) },
      { kind: 'output', transactionId: id, outputIndex: 0 },
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
    const report = await proveClaim(claim, known, {
      origin: caller.base,
      now: Date.now,
      clock: () => performance.now(),
      onStep: () => {},
    });
    const evidence = report.evidence ?? assert.fail(JSON.stringify(report.result));
    files.set(claim.kind, evidence);
    return report;
  };

  const fileOf = (kind: Claim['kind']): Evidence => files.get(kind) ?? assert.fail(kind);
  const verdictOf = async (evidence: unknown, checkpoint?: TrustDocument) => {
    const options = checkpoint === undefined ? {} : { checkpoint: JSON.stringify(checkpoint) };
    return await verifyEvidence(JSON.stringify(evidence), options);
  };

  test('every kind of proof holds again from its file, for whoever has the checkpoint', async () => {
    assert.equal(files.size, 9);
    for (const [kind, evidence] of files) {
      const { result, restsOn, isOwnTrust } = await verdictOf(evidence, trust);
      assert.equal(result.verdict, kind === 'answer' ? 'signed' : 'checked', kind);
      if (kind !== 'answer')
        assert.deepEqual([restsOn?.chainId, isOwnTrust], [trust.chainId, true]);
    }
  });

  test('every lie of the table is found in a changed file', async (t) => {
    const kinds: Readonly<Record<LieScreen, Claim['kind']>> = {
      overview: 'head',
      cut: 'cut',
      transaction: 'transaction',
      address: 'balance',
      validators: 'validators',
      economics: 'supply',
    };
    for (const { screen, name, where, change } of LIES) {
      await t.test(`${screen}: ${name}`, async () => {
        const evidence = structuredClone(fileOf(kinds[screen]));
        const answers = evidence.answers.map((each) => {
          if (!where.test(`${each.method} ${each.target}`)) return each;
          const document = JSON.parse(each.answer) as object;
          const changed = (change as (given: object) => unknown)(document) ?? document;
          return { ...each, answer: JSON.stringify(changed) };
        });
        assert.notDeepEqual(answers, evidence.answers);
        const { result } = await verdictOf({ ...evidence, answers });
        assert.equal(result.verdict, 'wrong', JSON.stringify(result));
      });
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

  test('no altered byte of the proofs of a payment is accepted, and no other claim', async () => {
    const evidence = fileOf('payment');
    const { claim } = evidence as { claim: Extract<Claim, { kind: 'payment' }> };
    const others: readonly Claim[] = [
      { ...claim, amount: String(7n * COIN + 1n) },
      { ...claim, to: caller.accountText(2) },
      { ...claim, to: caller.accountText(0) },
    ];
    for (const other of others)
      assert.notEqual((await verdictOf({ ...evidence, claim: other })).result.verdict, 'checked');
    let altered = 0;
    for (const [at, each] of evidence.answers.entries()) {
      if (!each.target.startsWith('/v1/proofs/')) continue;
      const document = JSON.parse(each.answer) as { proof_hex: string };
      for (let part = 0; part < 16; part++) {
        const hex = document.proof_hex;
        const place = Math.floor((hex.length / 16) * part);
        const digit = hex[place] === '0' ? '1' : '0';
        const proof_hex = `${hex.slice(0, place)}${digit}${hex.slice(place + 1)}`;
        const answers = evidence.answers.with(at, {
          ...each,
          answer: JSON.stringify({ ...document, proof_hex }),
        });
        const { result } = await verdictOf({ ...evidence, answers });
        assert.equal(result.verdict, 'wrong', `${each.target} ${place}`);
        altered++;
      }
    }
    assert.ok(altered >= 32);
  });

  test('a signed answer that was changed is refused', async () => {
    const evidence = structuredClone(fileOf('answer'));
    const answers = evidence.answers.map((each) =>
      each.headers === undefined ? each : { ...each, answer: each.answer.replace('{', '{ ') },
    );
    assert.equal((await verdictOf({ ...evidence, answers })).result.verdict, 'wrong');
    const claim = { ...evidence.claim, identity: '00'.repeat(48) };
    assert.equal((await verdictOf({ ...evidence, claim })).result.verdict, 'wrong');
  });

  test('a file that rests on other validators, or on nothing, proves nothing', async () => {
    const evidence = fileOf('balance');
    const cases: readonly unknown[] = [
      null,
      [],
      { ...evidence, format: 'svc-evidence-v2' },
      { ...evidence, answers: [] },
      { ...evidence, answers: [{}] },
      { ...evidence, claim: { kind: 'toString' } },
      { ...evidence, claim: { kind: 'balance', address: 7 } },
      { ...evidence, trust: null },
      { ...evidence, trust: { ...evidence.trust, cutId: '00'.repeat(48) } },
      { ...evidence, trust: { ...evidence.trust, height: 1 } },
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
      assert.equal(late.evidence?.trust?.pinnedHeight, late.trust?.pinnedHeight);
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
    const balance = /"balance\\":\\"(\d+)/.exec(text)?.[1] ?? assert.fail('no balance');
    writeFileSync(bad, text.replaceAll(balance, `${balance}0`));
    const held = await run(['verify-evidence', good, '--checkpoint', checkpoint]);
    assert.equal(held.code, 0, held.stderr);
    assert.match(
      held.stdout,
      /proven: balance at cut \d+\nrests on cut \d+ [0-9a-f]{96}\n.*checkpoint/,
    );
    const refused = await run(['verify-evidence', bad, '--json']);
    assert.equal(refused.code, 1);
    assert.equal((JSON.parse(refused.stdout) as { verdict: string }).verdict, 'wrong');
    assert.match(refused.stderr, /does not hold/);
  });
});
