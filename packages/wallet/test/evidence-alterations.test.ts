/**
 * Evidence of every kind of claim, from nodes that keep everything and from nodes that no longer have the bytes of old
 * transactions: it is believed as it is, and not once anything in it is altered. The same for full cuts that 64 validators signed.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type Claim,
  EVIDENCE_OWN_CHARACTERS_MAX,
  type Evidence,
  ownCharacters,
  PAYMENTS_CUTS_MAX,
  proveClaims,
  type TrustDocument,
  verifyEvidence,
} from 'svc-client/evidence';
import { fromHex, toHex, trustingPeriodMillis } from 'svc-wasm/base';
import { cutId } from 'svc-wasm/protocol';
import { HttpNode } from '../../node/test/http/testing/http-node.ts';
import { fullCutEvidence } from '../../page/test/testing/full-cut-evidence.ts';
import { alterationsOf } from './testing/alterations.ts';

const PAID = 5_000n;
/** Past the end of the first epoch. */
const HEIGHT = 130;
const ALTERATIONS_MIN = 20;
/** Cuts of a claim that shares its file with all others. */
const SHARED_CUTS = 16;

interface Made {
  readonly node: HttpNode;
  readonly claims: readonly Claim[];
}

/** A chain whose first cuts have a payment and a payment that failed, and a node that keeps transactions or not. */
async function nodeOf(t: TestContext, mode: 'archive' | 'full'): Promise<Made> {
  const rule =
    mode === 'full' ? { rule: { indexedCuts: Number.POSITIVE_INFINITY, blockCuts: 8 } } : {};
  const node = await HttpNode.start(t, {}, { validators: 4, mode, ...rule });
  const { chain } = node.services;
  const wire = await chain.pay(0, chain.address(1), PAID);
  const rival = await chain.pay(0, chain.address(2), PAID + 1n);
  const [paid, refused] = [wire, rival].map((each) => chain.transactions.decode(each).id);
  await chain.cut([chain.mine([wire])]);
  await chain.cut([chain.mine([rival])]);
  await chain.runTo(HEIGHT);
  const [first] = chain.setAt(HEIGHT)?.validators ?? [];
  assert.ok(paid !== undefined && refused !== undefined && first !== undefined);
  const cut = chain.cuts[1] ?? assert.fail('no cut');
  const [coin] = await chain.coins(1);
  const [transactionId, outputIndex] = outpointOf(coin?.[0] ?? '');
  const to = chain.text(1);
  const claims: readonly Claim[] = [
    { kind: 'head' },
    {
      kind: 'cut',
      height: 2,
      cutId: cut.cutId,
      stateRoot: toHex(cut.header.stateRoot),
    },
    { kind: 'balance', address: to },
    { kind: 'completeness', address: to },
    { kind: 'output', transactionId, outputIndex },
    { kind: 'transaction', id: paid },
    { kind: 'outcome', transactionId: paid, height: 2, outcome: 'finalized' },
    { kind: 'outcome', transactionId: refused, height: 3, outcome: 'conflict' },
    { kind: 'payment', transactionId: paid, to, amount: String(PAID) },
    { kind: 'payments', address: to, fromHeight: 1, toHeight: PAYMENTS_CUTS_MAX },
    { kind: 'validators' },
    { kind: 'stake', validatorId: toHex(first.id) },
    { kind: 'supply' },
    { kind: 'answer', target: '/v1/node/status', identity: undefined },
  ];
  return { node, claims };
}

function outpointOf(outpoint: string): [string, number] {
  return [outpoint.slice(0, 96), Number.parseInt(outpoint.slice(96), 16)];
}

function prove({ node }: Made, claims: readonly Claim[]) {
  return proveClaims(claims, undefined, {
    origin: `http://127.0.0.1:${node.port}`,
    now: Date.now,
    clock: () => performance.now(),
    onStep: () => {},
  });
}

async function refuseAll(evidence: Evidence, name: string): Promise<number> {
  const alterations = alterationsOf(evidence);
  assert.ok(alterations.length >= ALTERATIONS_MIN, `${name}: ${alterations.length} alterations`);
  for (const altered of alterations) {
    const { result } = await verifyEvidence(JSON.stringify(altered.evidence));
    const isAccepted = result.verdict === 'checked' || result.verdict === 'signed';
    assert.equal(isAccepted, false, `${name}: ${altered.name}`);
  }
  return alterations.length;
}

for (const mode of ['archive', 'full'] as const) {
  test(`no altered claim, head, path or proof is accepted, from a node of mode ${mode}`, async (t) => {
    const made = await nodeOf(t, mode);
    for (const claim of made.claims) {
      const { result, evidence } = await prove(made, [claim]);
      if (mode === 'full' && claim.kind === 'transaction') {
        assert.equal(result.verdict, 'unproven', 'its bytes are gone');
        continue;
      }
      assert.ok(evidence !== undefined, `${claim.kind}: ${JSON.stringify(result)}`);
      const again = await verifyEvidence(JSON.stringify(evidence));
      assert.deepEqual(again.result, result, claim.kind);
      const count = await refuseAll(evidence, claim.kind);
      t.diagnostic(`${claim.kind}: ${ownCharacters(evidence)} characters, ${count} alterations`);
    }
  });

  test(`claims of one head share its certificate and its validators, from a node of mode ${mode}`, async (t) => {
    const made = await nodeOf(t, mode);
    const claims = made.claims
      .filter(({ kind }) => mode === 'archive' || kind !== 'transaction')
      .map((claim) => (claim.kind === 'payments' ? { ...claim, toHeight: SHARED_CUTS } : claim));
    const { evidence, result, basis } = await prove(made, claims);
    assert.ok(evidence !== undefined, JSON.stringify(result));
    const text = JSON.stringify(evidence);
    const { certificate, validatorSet } = evidence.head ?? assert.fail('no head');
    assert.equal(text.split(certificate).length, 2);
    assert.equal(text.split(validatorSet).length, 2);
    assert.ok(ownCharacters(evidence) <= EVIDENCE_OWN_CHARACTERS_MAX);
    const again = await verifyEvidence(text);
    assert.deepEqual(
      again.claims.map(({ claim: { kind }, result: { verdict } }) => [kind, verdict]),
      claims.map(({ kind }) => [kind, kind === 'answer' ? 'signed' : 'checked']),
    );
    for (const line of [...basis, ...again.basis]) assert.match(line.restsOn, /[a-z]/);
    const [one, two] = evidence.claims;
    assert.ok(one !== undefined && two !== undefined);
    const swapped = evidence.claims.with(2, { ...evidence.claims[3], claim: two.claim } as never);
    const mixed = await verifyEvidence(JSON.stringify({ ...evidence, claims: swapped }));
    assert.equal(mixed.claims[2]?.result.verdict, 'wrong');
    assert.equal(mixed.claims[0]?.result.verdict, 'checked', 'the other claims hold');
    assert.notEqual(mixed.result.verdict, 'checked', 'the file as a whole does not');
  });
}

test('payees, amounts, payers, notes and times of full cuts, signed by 64 validators, hold, and no alteration', async (t) => {
  const { evidence, checkpoint } = fullCutEvidence();
  const { claims, isOwnTrust, result } = await verifyEvidence(JSON.stringify(evidence), {
    checkpoint,
    now: () => evidence.atMillis,
  });
  assert.equal(result.verdict, 'checked', JSON.stringify(result));
  assert.equal(isOwnTrust, true);
  const found = claims.find(({ claim }) => claim.kind === 'payment')?.result;
  assert.ok(found?.verdict === 'checked');
  assert.match(found.lines[0]?.says ?? '', /paid 7\.25 coins to tsvc1/);
  assert.match(found.lines[2]?.says ?? '', /“tea for two”/);
  for (const proof of evidence.claims) {
    const own = { ...evidence, claims: [proof] };
    const size = ownCharacters(own);
    t.diagnostic(`${proof.claim.kind}: ${size} of ${JSON.stringify(own).length} characters`);
    assert.ok(size <= EVIDENCE_OWN_CHARACTERS_MAX);
  }
  const payment = evidence.claims.find(({ claim }) => claim.kind === 'payment');
  assert.ok(payment !== undefined);
  await refuseAll({ ...evidence, claims: [payment] }, 'payment of a full cut');
});

test('a checkpoint says whether the validators of a file follow from it', async () => {
  const { evidence, checkpoint } = fullCutEvidence();
  const known = JSON.parse(checkpoint) as TrustDocument;
  const verdictWith = (own: TrustDocument, later = 0) =>
    verifyEvidence(JSON.stringify(evidence), {
      checkpoint: JSON.stringify(own),
      now: () => evidence.atMillis + later,
    });
  const period = Number(trustingPeriodMillis('testnet'));
  const late = await verdictWith(known, period);
  assert.deepEqual([late.isOwnTrust, late.result.verdict], [false, 'unproven']);
  assert.ok('isTrustExpired' in late.result && late.result.isTrustExpired === true);
  assert.match(late.basis.at(-1)?.says ?? '', /is not shown/);
  const { head } = evidence;
  const height = known.height + 1;
  const named = { ...known, pinnedHeight: height };
  const split = await verdictWith({ ...named, pinnedCutId: '00'.repeat(48) });
  assert.deepEqual([split.isOwnTrust, split.result.verdict], [false, 'wrong']);
  const pinnedCutId = toHex(cutId(fromHex(head?.header ?? '')));
  const own = await verdictWith({ ...named, pinnedCutId }, 100 * period);
  assert.equal(own.isOwnTrust, true, 'a pin of the very cut needs no trusting period');
  const torn = await verdictWith({ ...known, height: known.height - 1 });
  assert.equal(torn.result.verdict, 'unproven');
  assert.deepEqual(torn.claims, []);
  const plain = await verifyEvidence(JSON.stringify(evidence));
  assert.deepEqual([plain.isOwnTrust, plain.result.verdict], [undefined, 'checked']);
  assert.match(plain.basis.at(-1)?.restsOn ?? '', /compare the id of cut 100/);
});

test('payments of an address fit for as many full cuts as is said, and no file is larger than 64 KB', async (t) => {
  const sizeOf = (cuts: number) => {
    const { evidence } = fullCutEvidence(cuts);
    const claims = evidence.claims.filter(({ claim }) => claim.kind === 'payments');
    return { ...evidence, claims };
  };
  const most = sizeOf(FULL_CUTS);
  t.diagnostic(`payments of ${FULL_CUTS} full cuts: ${ownCharacters(most)} characters`);
  assert.equal((await verifyEvidence(JSON.stringify(most))).result.verdict, 'checked');
  const more = await verifyEvidence(JSON.stringify(sizeOf(FULL_CUTS + 1)));
  assert.equal(more.result.verdict, 'unproven');
  assert.match('reason' in more.result ? more.result.reason : '', /more than 65536 characters/);
});

/** So many full cuts fit into one file of payments. */
const FULL_CUTS = 17;
