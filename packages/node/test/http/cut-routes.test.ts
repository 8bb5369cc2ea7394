/** Reads of cuts. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Cuts, ROUTES } from 'svc-api';
import { verifyCutCertificate } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { errorOf, HttpNode } from './testing/http-node.ts';
import { FINAL_HEIGHT, RICH_OUTPUTS } from './testing/story.ts';
import { useStoryNode } from './testing/story-node.ts';

suite('cuts over HTTP', () => {
  const use = useStoryNode();

  test('[HTTP-06] [HTTP-27] [HTTP-28] cuts come newest first, 20 at a time, 100 at most, and next_before leads on', async () => {
    const first = await use.node.call(ROUTES.cuts);
    assert.equal(first.cuts.length, 20);
    assert.equal(first.finalized_height, FINAL_HEIGHT);
    assert.equal(first.next_before, FINAL_HEIGHT - 19);
    const heights: number[] = [];
    let before: number | undefined;
    do {
      const page: Cuts = await use.node.call(ROUTES.cuts, { query: { limit: 100, before } });
      heights.push(...page.cuts.map(({ height }) => height));
      before = page.next_before;
    } while (before !== undefined);
    assert.deepEqual(
      heights,
      Array.from({ length: FINAL_HEIGHT }, (_, index) => FINAL_HEIGHT - index),
    );
  });

  test('[CONV-04] [CONV-05] [CONV-06] [CUTREF-01] a cut of the list says what its header says', async () => {
    const { chain } = use.story.services;
    const answer = await use.node.call(ROUTES.cuts, { query: { before: 3, limit: 2 } });
    const { cuts } = answer;
    assert.equal(answer.finalized_height, FINAL_HEIGHT);
    for (const cut of cuts) {
      const made = chain.cuts[cut.height - 1];
      assert.deepEqual(cut, {
        height: made?.height,
        cut_id: made?.cutId,
        state_root: made?.result.stateRoot,
        validator_set_id: made?.result.validatorSetId,
        time_millis: made?.input.timeMillis,
        proposer: 0,
        registered_work: made?.input.registered.length,
        executed_work: made?.input.executed.length,
        transactions: made?.result.events.outcomes.length,
      });
      assert.match(cut.cut_id, /^[0-9a-f]{96}$/);
    }
  });

  test('[HTTP-07] [HTTP-27] [HTTP-31] transactions of a cut keep their order over pages', async () => {
    const { chain } = use.story.services;
    const params = { height: 2 };
    const whole = await use.node.call(ROUTES.cutTransactions, { params, query: { limit: 64 } });
    assert.deepEqual(
      whole.transactions.map(({ transaction_id, block_id, outcome, fee }) => [
        transaction_id,
        block_id,
        outcome,
        fee,
      ]),
      chain.cuts[1]?.result.events.outcomes.map(({ transactionId, blockId, kind, fee }) => [
        transactionId,
        blockId,
        kind,
        String(fee),
      ]),
    );
    assert.equal(whole.transactions.length, 2);
    const first = await use.node.call(ROUTES.cutTransactions, { params, query: { limit: 1 } });
    const second = await use.node.call(ROUTES.cutTransactions, {
      params,
      query: { limit: 1, cursor: first.next_cursor },
    });
    assert.deepEqual([...first.transactions, ...second.transactions], whole.transactions);
    assert.equal(second.next_cursor, undefined);
    const { transactions } = await use.node.call(ROUTES.cutTransactions, { params: { height: 3 } });
    assert.deepEqual(
      transactions.map(({ outcome }) => outcome),
      ['conflict', 'finalized'],
    );
  });

  test('[HTTP-08] [HTTP-27] [HTTP-32] changes have pages of 1,024 rows, the genesis too', async () => {
    const { chain } = use.story.services;
    const first = await use.node.call(ROUTES.cutChanges, { params: { height: 0 } });
    assert.equal(first.changes.length, 1_024);
    const { next_cursor } = first;
    const rest = await use.node.call(ROUTES.cutChanges, {
      params: { height: 0 },
      query: { cursor: next_cursor },
    });
    assert.equal(first.changes.length + rest.changes.length, RICH_OUTPUTS + 9);
    const all = await use.node.call(ROUTES.cutChanges, {
      params: { height: 0 },
      query: { limit: 4_096 },
    });
    assert.deepEqual(all.changes, [...first.changes, ...rest.changes]);
    assert.deepEqual(
      all.changes.map(({ index }) => index),
      all.changes.map((_, index) => index),
    );
    const second = await use.node.call(ROUTES.cutChanges, { params: { height: 2 } });
    assert.deepEqual(
      second.changes.map(({ kind, amount, transaction_id }) => [kind, amount, transaction_id]),
      chain.cuts[1]?.result.events.history.map(({ kind, amount, transactionId }) => [
        kind,
        String(amount),
        transactionId,
      ]),
    );
  });

  test('one cut shows its rewards, payouts and burns', async () => {
    const { chain } = use.story.services;
    const { cut: burning } = await use.node.call(ROUTES.cut, { params: { height: 2 } });
    assert.deepEqual(burning.burns, [{ cause: 'output', id: use.story.burnId, amount: '777' }]);
    const paying = chain.cuts.find(({ result }) => result.events.rewards.length > 0);
    const { cut } = await use.node.call(ROUTES.cut, { params: { height: paying?.height ?? 0 } });
    assert.deepEqual(
      cut.rewards.map(({ block_id, amount }) => [block_id, amount]),
      paying?.result.events.rewards.map(({ blockId, amount }) => [blockId, String(amount)]),
    );
    assert.deepEqual(cut.previous_signers, [0, 1]);
    const staked = chain.cuts.find(({ result }) => result.events.stakePayouts.length > 0);
    const later = await use.node.call(ROUTES.cut, { params: { height: staked?.height ?? 0 } });
    assert.equal(later.cut.stake_payouts.length, staked?.result.events.stakePayouts.length);
  });

  const expectVerified = async (height: number): Promise<void> => {
    const { chain } = use.story.services;
    const params = { height };
    const certificate = await use.node.call(ROUTES.cutCertificate, { params });
    const { validator_set_hex, validators } = await use.node.call(ROUTES.cutValidators, { params });
    const check = (set: Uint8Array, chainId: Uint8Array): string =>
      verifyCutCertificate(
        fromHex(certificate.header_hex),
        fromHex(certificate.certificate_hex),
        set,
        chainId,
      );
    const verified = JSON.parse(check(fromHex(validator_set_hex), fromHex(chain.chainId)));
    assert.equal(verified.cut_id, certificate.cut_id);
    assert.equal(verified.signed_stake, verified.total_stake);
    assert.equal(validators.length, 2);
    assert.throws(() => check(fromHex(validator_set_hex), new Uint8Array(48)));
  };

  test('a certificate can be checked with the validator set of its cut, also of an epoch that ended', async () => {
    for (const height of [1, FINAL_HEIGHT]) await expectVerified(height);
  });

  test('heights that are not there are told apart', async () => {
    const above = await use.node.get(`/v1/cuts/${FINAL_HEIGHT + 1}/transactions`);
    assert.equal(above.status, 404);
    assert.equal(errorOf(above).code, 'not_yet');
    const genesis = await use.node.get('/v1/cuts/0');
    assert.equal(genesis.status, 404);
    assert.equal(errorOf(genesis).code, 'not_found');
  });

  test('a validator set that is kept no more is told so', async (t) => {
    const node = await HttpNode.start(t);
    const { chain } = node.services;
    await chain.cut();
    assert.equal((await node.get('/v1/cuts/1/validators')).status, 200);
    chain.setAt = () => undefined;
    const gone = await node.get('/v1/cuts/1/validators');
    assert.deepEqual([gone.status, errorOf(gone).code], [404, 'not_kept']);
  });

  test('finalized pages may be cached for good, lists that move may not', async () => {
    const immutable = 'public, max-age=31536000, immutable';
    const caching = async (path: string) => (await use.node.get(path)).headers['cache-control'];
    assert.equal(await caching('/v1/cuts/2/transactions'), immutable);
    assert.equal(await caching('/v1/cuts/2/changes'), immutable);
    assert.equal(await caching('/v1/cuts/2'), immutable);
    assert.equal(await caching(`/v1/blocks/${use.story.paidBlockId}`), immutable);
    assert.equal(await caching(`/v1/blocks/${use.story.registeredBlockId}`), 'no-cache');
    assert.equal(await caching('/v1/cuts'), 'no-cache');
    for (const path of [
      '/v1/chain/head',
      '/v1/mempool',
      '/v1/node/status',
      `/v1/transactions/${use.story.payment.id}/status`,
    ]) {
      assert.equal(await caching(path), 'no-store', path);
    }
    assert.equal(await caching('/v1/cuts/9999/transactions'), 'no-store');
  });
});
