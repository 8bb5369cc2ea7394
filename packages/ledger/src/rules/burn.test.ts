import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executeAll, kindsOf } from '../../test/testing/outcomes.ts';
import { addressOf, COIN, TestChain } from '../../test/testing/test-chain.ts';
import { TestWallet } from '../../test/testing/test-wallet.ts';
import { BURN_ADDRESS, outpointKey } from '../identifiers.ts';

test('[ECON-19] an output to the burn address is never created; a reward to it is, and stays unspendable', () => {
  const chain = new TestChain();
  const wallet = new TestWallet(chain);
  const payment = wallet.draft({
    from: 'bank',
    outputs: [
      { address: BURN_ADDRESS, amount: 3n * COIN },
      { address: addressOf('bob'), amount: COIN },
    ],
  });
  const { events } = executeAll(chain, payment);
  assert.deepEqual(events.burns, [
    { cause: 'output', transactionId: payment.id, amount: 3n * COIN },
  ]);
  assert.equal(chain.economy.burned, 3n * COIN);
  const outputOf = (outputIndex: number) =>
    chain.state.get('outputs', outpointKey({ transactionId: payment.id, outputIndex }));
  assert.equal(outputOf(0), undefined);
  assert.equal(outputOf(1)?.address, addressOf('bob'));
  assert.ok(!events.history.some(({ address }) => address === BURN_ADDRESS));

  const block = { ...chain.block(chain.height + 1, {}), payoutAddress: BURN_ADDRESS };
  chain.apply({ ...chain.input(), registered: [block] });
  chain.runTo(block.anchorHeight + 96);
  assert.equal(chain.economy.burned, 3n * COIN);
  const [reward] = chain.state.records('outputs').filter(([, o]) => o.address === BURN_ADDRESS);
  assert.ok(reward !== undefined && reward[1].amount > 0n);
  const spend = wallet.draft({
    from: 'stranger',
    inputs: [reward[0]],
    signers: { inputs: [BURN_ADDRESS] },
  });
  assert.deepEqual(kindsOf(chain.execute(spend)), ['invalid: wrong_witness']);
});
