/**
 * A payment of an earlier epoch, proven from a cut that was pinned at the head: the signatures are those of the head, a path
 * of hashes leads to the cut of the payment, and each lie about it is called wrong.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type Claim,
  ownCharacters,
  proveClaim,
  proveClaims,
  verifyEvidence,
} from 'svc-client/evidence';
import { init } from 'svc-wasm';
import { Caller } from '../../node/test/dev/kit.ts';
import { LIES } from '../../page/test/testing/lies.ts';
import { type Lie, LyingProxy } from '../../page/test/testing/lying-proxy.ts';
import { flip } from './testing/alterations.ts';

const COIN = 100_000_000n;
/** Two epochs of a development network and a little more. */
const CUTS_SINCE = 250;
const CUTS = /^POST \/v1\/proofs\/cuts$/;
const CHANGES = /^POST \/v1\/proofs\/changes$/;

describe('a payment of an earlier epoch', () => {
  let caller: Caller;
  let proxy: LyingProxy;
  let claims: readonly Claim[];
  let head: number;

  before(async () => {
    await init();
    caller = await Caller.start({ cutTime: 'manual' });
    proxy = await LyingProxy.start(caller.base);
    await caller.network.mine(4);
    const id = await caller.pay({ from: 0, to: 1, amount: 7n * COIN });
    const { finalized_cut } = await caller.minedStatus(id);
    await caller.network.mine(CUTS_SINCE);
    head = (finalized_cut?.height ?? 0) + CUTS_SINCE;
    claims = [
      { kind: 'transaction', id },
      { kind: 'payment', transactionId: id, to: caller.accountText(1), amount: String(7n * COIN) },
    ];
  });

  after(async () => {
    await proxy?.close();
    await caller?.close();
  });

  const ports = (origin: string) => ({
    origin,
    now: Date.now,
    clock: () => performance.now(),
    onStep: () => {},
  });

  /** What a reader who has pinned nothing makes of a node that tells a lie. */
  async function verdictOn(claim: Claim, lie: Lie) {
    proxy.lie = lie;
    proxy.told = 0;
    const { result } = await proveClaim(claim, undefined, ports(proxy.url));
    assert.ok(proxy.told > 0, lie.name);
    return result;
  }

  test('it is proven from the pinned head, with one certificate and a path', async () => {
    const { evidence, result } = await proveClaims(claims, undefined, ports(caller.base));
    assert.ok(evidence !== undefined, JSON.stringify(result));
    const { result: again, restsOn, basis } = await verifyEvidence(JSON.stringify(evidence));
    assert.equal(again.verdict, 'checked');
    assert.ok((restsOn?.height ?? 0) >= head, 'it rests on the head');
    assert.equal(evidence.history?.headers.length, 1);
    assert.match(basis[0]?.restsOn ?? '', /a path of \d+ bytes of hashes/);
    assert.ok(ownCharacters(evidence) < 16_384, 'small beside certificate and validator set');
  });

  test('every lie of the table about it is wrong, not unproven', async () => {
    const lies = LIES.filter(({ screen }) => screen === 'transaction');
    assert.ok(lies.length >= 6);
    const [transaction] = claims;
    assert.ok(transaction !== undefined);
    for (const lie of lies)
      assert.equal((await verdictOn(transaction, lie)).verdict, 'wrong', lie.name);
  });

  test('another header, another path, other changes and another cut are wrong', async () => {
    for (const claim of claims) {
      for (const at of [200, 600, 1_000]) {
        const change = ({ cuts }: { cuts: { header_hex: string }[] }) => {
          for (const cut of cuts) cut.header_hex = flip(cut.header_hex, at);
        };
        const name = `${claim.kind}: header ${at}`;
        assert.equal(
          (await verdictOn(claim, { name, where: CUTS, change })).verdict,
          'wrong',
          name,
        );
      }
      const places = claim.kind === 'payment' ? [CUTS, CHANGES] : [CUTS];
      for (const where of places) {
        const change = (document: { proof_hex: string }) => {
          document.proof_hex = flip(document.proof_hex, document.proof_hex.length - 10);
        };
        const name = `${claim.kind}: ${where}`;
        assert.equal((await verdictOn(claim, { name, where, change })).verdict, 'wrong', name);
      }
    }
  });
});
