/** Work blocks over HTTP. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Reward, ROUTES } from 'svc-api';
import { errorOf } from './testing/http-node.ts';
import { FINAL_HEIGHT } from './testing/story.ts';
import { useStoryNode } from './testing/story-node.ts';

suite('blocks over HTTP', () => {
  const use = useStoryNode();
  const read = (id: string) => use.node.call(ROUTES.block, { params: { id } });

  test('[HTTP-17] [BLOCK-01] a block whose reward is paid shows its amounts and cuts', async () => {
    const { chain } = use.story.services;
    const document = await read(use.story.paidBlockId);
    const rewards = chain.cuts.flatMap(({ result }) => result.events.rewards);
    const paid = rewards.find(({ blockId }) => blockId === use.story.paidBlockId);
    assert.ok(paid?.outpoint);
    assert.deepEqual(document.reward, {
      state: 'paid',
      share: String(paid.share),
      fees: String(paid.fees),
      amount: String(paid.amount),
      outpoint: {
        transaction_id: paid.outpoint.transactionId,
        output_index: paid.outpoint.outputIndex,
      },
      output_amount: String(paid.outputAmount),
    });
    assert.equal(document.registered_cut?.height, 1);
    assert.equal(document.executed_cut?.height, 2);
    assert.equal(document.miner_tag, 'first miner');
    assert.equal(document.payout_address, chain.text(9));
    assert.deepEqual(document.transactions, [use.story.payment.id, use.story.burnId]);
    assert.deepEqual(document.parents, [chain.chainId]);
    assert.deepEqual(
      [document.anchor_height, document.anchor_cut_id, document.registration_window_end],
      [0, chain.chainId, 96],
    );
  });

  test('blocks that share an output show their parts and what the output holds, wherever rewards are', async () => {
    const { chain } = use.story.services;
    const blocks = await Promise.all(use.story.twinBlockIds.map(read));
    const [outpoint] = blocks.map(({ reward }) => reward.outpoint);
    assert.ok(outpoint);
    const { utxos } = await use.node.call(ROUTES.addressUtxos, {
      params: { address: chain.text(9) },
    });
    const output = utxos.find((utxo) => utxo.outpoint.transaction_id === outpoint.transaction_id);
    assert.ok(output);
    const expectParts = (
      rewards: readonly Pick<Reward, 'amount' | 'outpoint' | 'output_amount'>[],
    ) => {
      assert.equal(rewards.length, 2);
      const sum = rewards.reduce((all, { amount }) => all + BigInt(amount ?? 0), 0n);
      assert.equal(String(sum), output.amount);
      for (const reward of rewards) {
        assert.deepEqual(reward.outpoint, outpoint);
        assert.equal(reward.output_amount, output.amount);
        assert.notEqual(reward.amount, output.amount);
      }
    };
    const isTwin = ({ block_id }: { block_id: string }) =>
      use.story.twinBlockIds.includes(block_id);
    expectParts(blocks.map(({ reward }) => reward));
    const recent = await use.node.call(ROUTES.blocksRecent, { query: { limit: 500 } });
    expectParts(recent.blocks.filter(isTwin).map(({ reward }) => reward));
    const { cut } = await use.node.call(ROUTES.cut, {
      params: { height: output.finalized_height },
    });
    expectParts(cut.rewards.filter(isTwin));
  });

  test('a registered block waits for its reward, an unregistered one for a cut', async () => {
    const registered = await read(use.story.registeredBlockId);
    assert.deepEqual(
      [registered.reward.state, registered.reward.amount, registered.executed_cut],
      ['registered', null, null],
    );
    assert.equal(registered.registered_cut?.height, FINAL_HEIGHT);
    const held = await read(use.story.heldBlockId);
    assert.deepEqual([held.reward.state, held.registered_cut], ['waiting', null]);
    assert.equal(held.miner_tag, 'late miner');
    const unknown = await use.node.get(`/v1/blocks/${'ab'.repeat(48)}`);
    assert.deepEqual([unknown.status, errorOf(unknown).code], [404, 'not_found']);
  });

  test('[HTTP-09] [HTTP-33] recent blocks come newest first', async () => {
    const { chain } = use.story.services;
    const expected = chain.cuts
      .flatMap(({ input }) => input.registered.map(({ id }) => id))
      .reverse();
    const { blocks } = await use.node.call(ROUTES.blocksRecent, { query: { limit: 500 } });
    assert.deepEqual(
      blocks.map(({ block_id }) => block_id),
      expected,
    );
    const few = await use.node.call(ROUTES.blocksRecent, { query: { limit: 1 } });
    assert.deepEqual(few.blocks, blocks.slice(0, 1));
    assert.equal(blocks.at(-1)?.reward.state, 'paid');
    for (const { input } of chain.cuts) {
      const registered_height = input.height;
      const { blocks: ofCut } = await use.node.call(ROUTES.blocksRecent, {
        query: { registered_height },
      });
      assert.deepEqual(
        ofCut,
        blocks.filter((block) => block.registered_height === registered_height),
      );
    }
    const none = await use.node.call(ROUTES.blocksRecent, {
      query: { registered_height: FINAL_HEIGHT + 1 },
    });
    assert.deepEqual(none.blocks, []);
  });
});
