/**
 * A payment of an earlier epoch, proven from a cut that was pinned at the head: the signatures are those of the head, a path
 * of hashes leads to the cut of the payment, and each lie about it is called wrong.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Claim, type Evidence, proveClaim, verifyEvidence } from 'svc-client/evidence';
import { init } from 'svc-wasm';
import { Caller } from '../../node/test/dev/kit.ts';
import { LIES } from '../../page/test/testing/lies.ts';

const COIN = 100_000_000n;
/** Two epochs of a development network and a little more. */
const CUTS_SINCE = 250;

describe('a payment of an earlier epoch', () => {
  let caller: Caller;
  let id: string;
  let head: number;
  const files = new Map<Claim['kind'], Evidence>();

  before(async () => {
    await init();
    caller = await Caller.start({ cutTime: 'manual' });
    await caller.network.mine(4);
    id = await caller.pay({ from: 0, to: 1, amount: 7n * COIN });
    const { finalized_cut } = await caller.minedStatus(id);
    await caller.network.mine(CUTS_SINCE);
    head = (finalized_cut?.height ?? 0) + CUTS_SINCE;
    const claims: readonly Claim[] = [
      { kind: 'transaction', id },
      { kind: 'payment', transactionId: id, to: caller.accountText(1), amount: String(7n * COIN) },
    ];
    for (const claim of claims) {
      const { evidence, result } = await proveClaim(claim, undefined, {
        origin: caller.base,
        now: Date.now,
        clock: () => performance.now(),
        onStep: () => {},
      });
      files.set(claim.kind, evidence ?? assert.fail(JSON.stringify(result)));
    }
  });

  after(async () => {
    await caller?.close();
  });

  /** The verdict on a file whose answers to some requests were changed. */
  async function verdictOn(
    kind: Claim['kind'],
    where: RegExp,
    change: (document: Record<string, unknown>) => unknown,
  ) {
    const evidence = structuredClone(files.get(kind) ?? assert.fail(kind));
    const answers = evidence.answers.map((each) => {
      if (!where.test(`${each.method} ${each.target}`)) return each;
      const document = JSON.parse(each.answer) as Record<string, unknown>;
      return { ...each, answer: JSON.stringify(change(document) ?? document) };
    });
    assert.notDeepEqual(answers, evidence.answers);
    return (await verifyEvidence(JSON.stringify({ ...evidence, answers }))).result;
  }

  test('it is proven from the pinned head, with one certificate and a path', async () => {
    for (const [kind, evidence] of files) {
      const { result, restsOn } = await verifyEvidence(JSON.stringify(evidence));
      assert.equal(result.verdict, 'checked', `${kind}: ${JSON.stringify(result)}`);
      assert.ok((restsOn?.height ?? 0) >= head - 1, 'it rests on the head');
      const targets = evidence.answers.map(({ target }) => target);
      assert.ok(targets.includes('/v1/proofs/cuts'));
      const certificates = targets.filter((target) => target.endsWith('/certificate'));
      assert.equal(new Set(certificates).size, 1, certificates.join());
    }
  });

  test('the file is small beside the certificate and the validator set', () => {
    const { answers } = files.get('payment') ?? assert.fail('no file');
    const own = answers.filter(
      ({ target }) => !target.endsWith('/certificate') && !target.endsWith('/validators'),
    );
    const bytes = JSON.stringify(own).length;
    assert.ok(bytes < 65_536, `${bytes} bytes`);
  });

  test('every lie of the table about it is wrong, not unproven', async () => {
    const lies = LIES.filter(({ screen }) => screen === 'transaction');
    assert.ok(lies.length >= 6);
    for (const { name, where, change } of lies) {
      const { verdict } = await verdictOn('transaction', where, change as never);
      assert.equal(verdict, 'wrong', name);
    }
  });

  test('another header, another path and another cut are wrong', async () => {
    const CUTS = /\/v1\/proofs\/cuts$/;
    const flip = (hex: string, at: number) =>
      `${hex.slice(0, at)}${hex[at] === '0' ? '1' : '0'}${hex.slice(at + 1)}`;
    for (const kind of files.keys()) {
      for (const at of [200, 600, 1_000]) {
        const header = await verdictOn(kind, CUTS, (document) => {
          const cuts = document['cuts'] as { header_hex: string }[];
          for (const cut of cuts) cut.header_hex = flip(cut.header_hex, at);
        });
        assert.equal(header.verdict, 'wrong', `${kind}: header ${at}`);
      }
      const path = await verdictOn(kind, CUTS, (document) => {
        const hex = document['proof_hex'] as string;
        document['proof_hex'] = flip(hex, hex.length - 10);
      });
      assert.equal(path.verdict, 'wrong', kind);
    }
  });
});
