import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RatesDocument } from 'svc-api';
import { Value } from 'typebox/value';
import { Anchors } from '../blocks/anchors.ts';
import { ChainFixture } from '../testing/chain-fixture.ts';
import { CutRates } from './rates.ts';

test('[HTTP-19] rates are those of the last 96 cuts, from the targets of the blocks they registered', async (t) => {
  const chain = await ChainFixture.create();
  t.after(() => chain.close());
  const anchors = await Anchors.open(chain);
  const rates = await CutRates.open(chain, anchors);
  const young = rates.document();
  assert.ok(Value.Check(RatesDocument, young));
  assert.deepEqual(
    [young.window_cuts, young.hashrate, young.cut_millis, young.blocks_per_cut],
    [0, '0', 0, '0.000'],
  );
  for (let height = 1; height <= 130; height++) {
    const wires = height % 50 === 3 ? [await chain.pay(0, chain.address(1), 5n)] : [];
    const blocks = height % 3 === 0 ? [] : [chain.mine(wires), chain.mine([])];
    await chain.cut(blocks);
  }
  const document = rates.document();
  const window = chain.cuts.slice(-96);
  const targetAt = (height: number) =>
    height === 0
      ? chain.genesis.workTarget
      : BigInt(`0x${Buffer.from(chain.cuts[height - 1]?.header.workTarget ?? []).toString('hex')}`);
  let hashes = 0n;
  let blocks = 0;
  let transactions = 0;
  for (const { input, result } of window) {
    blocks += input.registered.length;
    transactions += result.events.outcomes.filter(({ kind }) => kind === 'finalized').length;
    for (const block of input.registered)
      hashes += (1n << 256n) / (targetAt(block.anchorHeight) + 1n);
  }
  const millis = 96 * 2_500;
  assert.deepEqual(document, {
    api_version: 1,
    finalized_height: 130,
    window_cuts: 96,
    window_millis: millis,
    hashrate: String((hashes * 1_000n) / BigInt(millis)),
    target: targetAt(130).toString(16).padStart(64, '0'),
    registered_blocks: blocks,
    blocks_per_cut: (Math.floor((blocks * 1_000) / 96) / 1_000).toFixed(3),
    cut_millis: 2_500,
    transactions,
    transactions_per_second: (Math.floor((transactions * 1e6) / millis) / 1_000).toFixed(3),
  });
  assert.ok(hashes > 0n && transactions > 0);

  const again = await CutRates.open(chain, await Anchors.open(chain));
  assert.deepEqual(again.document(), document);
});
