import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindsOf } from '../../test/testing/outcomes.ts';
import { addressOf, COIN, publicKeyOf, TestChain } from '../../test/testing/test-chain.ts';
import { TestWallet } from '../../test/testing/test-wallet.ts';
import { statusOfOutcome } from '../documents/transaction-status.ts';
import { outpointKey } from '../identifiers.ts';

test('[LIFE-04] a transaction is executed one cut after the one that registered its block', () => {
  const chain = new TestChain();
  const wallet = new TestWallet(chain);
  const payment = wallet.pay('bank', 'bob', 5n * COIN);
  const registering = chain.cut({ blocks: [{ transactions: [payment] }] });
  assert.deepEqual(kindsOf(registering), []);
  const executing = chain.cut();
  assert.deepEqual(kindsOf(executing), ['finalized']);
  assert.deepEqual(kindsOf(chain.cut()), []);
  const output = chain.state.get(
    'outputs',
    outpointKey({ transactionId: payment.id, outputIndex: 0 }),
  );
  assert.deepEqual(output, {
    address: addressOf('bob'),
    amount: 5n * COIN,
    source: 'regular',
    height: executing.height,
  });
});

test('a transaction carried twice is executed for its first carrier, who keeps the fee', () => {
  const chain = new TestChain();
  const wallet = new TestWallet(chain);
  const payment = wallet.pay('bank', 'bob', COIN, { fee: 1_001n });
  const cut = chain.input({
    blocks: [
      { transactions: [payment], payout: 'first' },
      { transactions: [payment], payout: 'second' },
    ],
  });
  const firstPayout = cut.registered[0]?.payoutAddress;
  chain.apply(cut);
  assert.deepEqual(kindsOf(chain.cut({ blocks: [{ transactions: [payment] }] })), [
    'finalized',
    'skipped',
  ]);
  assert.deepEqual(kindsOf(chain.cut()), ['skipped']);
  chain.runTo(97);
  const rewards = chain.results.flatMap(({ events }) => events.rewards);
  assert.deepEqual(
    rewards.map(({ payoutAddress, fees }) => [payoutAddress === firstPayout, fees]),
    [
      [true, 500n],
      [false, 0n],
      [false, 0n],
    ],
  );
});

test('the validity window counts the executing cut, both ends included', () => {
  const table: [number, number, string][] = [
    [2, 2, 'finalized'],
    [0, 2, 'finalized'],
    [2, 9, 'finalized'],
    [0, 1, 'expired'],
    [3, 9, 'not_yet_valid'],
  ];
  for (const [validFrom, validUntil, expected] of table) {
    const chain = new TestChain();
    const wallet = new TestWallet(chain);
    const payment = wallet.pay('bank', 'bob', COIN, { validFrom, validUntil });
    assert.deepEqual(kindsOf(chain.execute(payment)), [expected]);
  }
});

test('a transaction that came too early can be carried again', () => {
  const chain = new TestChain();
  const wallet = new TestWallet(chain);
  const payment = wallet.pay('bank', 'bob', COIN, { validFrom: 4 });
  assert.deepEqual(kindsOf(chain.execute(payment)), ['not_yet_valid']);
  assert.deepEqual(kindsOf(chain.execute(payment)), ['finalized']);
});

test('an output spent by another executed transaction is a conflict, also within one cut', () => {
  const chain = new TestChain();
  const wallet = new TestWallet(chain);
  const payment = wallet.pay('bank', 'bob', COIN);
  const inputs = payment.inputs.map(outpointKey);
  const rival = wallet.pay('bank', 'carol', COIN, { inputs });
  assert.deepEqual(kindsOf(chain.execute(payment, rival)), ['finalized', 'conflict']);
  assert.deepEqual(kindsOf(chain.execute(rival)), ['conflict']);
});

test('a spent output is remembered for two epochs, then counts as unknown', () => {
  const chain = new TestChain();
  const wallet = new TestWallet(chain);
  const payment = wallet.pay('bank', 'bob', COIN);
  const rival = wallet.pay('bank', 'carol', COIN, { inputs: payment.inputs.map(outpointKey) });
  const spentAt = chain.execute(payment).height;
  chain.runTo(spentAt + 24 - 3);
  assert.deepEqual(kindsOf(chain.execute(rival)), ['conflict']);
  assert.deepEqual(kindsOf(chain.execute(rival)), ['unknown_input']);
  assert.deepEqual(chain.state.keys('spent'), []);
});

test('an input that does not exist yet sends the transaction back; later it executes', () => {
  const chain = new TestChain();
  const wallet = new TestWallet(chain);
  const parent = wallet.pay('bank', 'bob', 3n * COIN);
  const child = wallet.draft({
    from: 'bob',
    outputs: [{ address: addressOf('carol'), amount: 3n * COIN - 1_000n }],
    inputs: [outpointKey({ transactionId: parent.id, outputIndex: 0 })],
  });
  assert.deepEqual(kindsOf(chain.execute(child)), ['unknown_input']);
  assert.deepEqual(kindsOf(chain.execute(parent, child)), ['finalized', 'finalized']);
});

test('witnesses, sums and fees that do not hold make a transaction invalid and move nothing', () => {
  const mallory = { inputs: [addressOf('mallory')] };
  const table: [string, Parameters<TestWallet['draft']>[0], string][] = [
    ['wrong witness', { from: 'bank', signers: mallory }, 'wrong_witness'],
    ['one atom too few', { from: 'bank', fee: -1n }, 'spends_more_than_inputs'],
    ['fee one atom low', { from: 'bank', fee: 999n, mass: 100n }, 'fee_too_low'],
    ['fee one atom above the declared', { from: 'bank', declaredFee: 999n }, 'fee_mismatch'],
    ['fee one atom below the declared', { from: 'bank', declaredFee: 1_001n }, 'fee_mismatch'],
    ['declared fee too low', { from: 'bank', fee: 9n, declaredFee: 9n, mass: 1n }, 'fee_too_low'],
  ];
  for (const [name, draft, reason] of table) {
    const chain = new TestChain(undefined, { minFeePerMass: 10n });
    const transaction = new TestWallet(chain).draft(draft);
    const before = chain.state.records('outputs');
    assert.deepEqual(kindsOf(chain.execute(transaction)), [`invalid: ${reason}`], name);
    assert.deepEqual(chain.state.records('outputs'), before, name);
  }
  const chain = new TestChain(undefined, { minFeePerMass: 10n });
  const wallet = new TestWallet(chain);
  const enough = wallet.pay('bank', 'bob', COIN, { fee: 1_000n, mass: 100n });
  assert.deepEqual(kindsOf(chain.execute(enough)), ['finalized']);
  const exact = wallet.pay('bank', 'bob', COIN, { declaredFee: 1_000n, mass: 100n });
  assert.deepEqual(kindsOf(chain.execute(exact)), ['finalized']);
});

test('[LIFE-06] finalized, conflict and expired are final; what may still change is not', () => {
  const final = ['finalized', 'conflict', 'expired'] as const;
  const open = ['not_yet_valid', 'unknown_input', 'invalid', 'no_effect'] as const;
  for (const kind of final) assert.equal(statusOfOutcome(kind)?.final, true, kind);
  for (const kind of open) assert.equal(statusOfOutcome(kind)?.final, false, kind);
  assert.equal(statusOfOutcome('skipped'), null);
});

test('the first spend that shows a key registers it; a witness may refer to it from then on', () => {
  const chain = new TestChain();
  const wallet = new TestWallet(chain);
  const key = publicKeyOf('bank');
  const early = wallet.pay('bank', 'bob', COIN, { signers: { referenced: [key.keyHash] } });
  const inline = wallet.pay('bank', 'bob', COIN, { inlineKeys: [key] });
  const again = wallet.pay('bank', 'bob', COIN, { inlineKeys: [key] });
  const result = chain.execute(early, inline, again, early);
  assert.deepEqual(kindsOf(result), [
    'invalid: wrong_witness',
    'finalized',
    'finalized',
    'finalized',
  ]);
  assert.deepEqual(result.events.keys, [{ keyHash: key.keyHash, transactionId: inline.id }]);
  assert.deepEqual(chain.state.get('keys', key.keyHash), { publicKey: key.publicKey });
});

test('a failed spend registers no key', () => {
  const chain = new TestChain();
  const wallet = new TestWallet(chain);
  const key = publicKeyOf('bank');
  const forged = wallet.pay('bank', 'bob', COIN, {
    inlineKeys: [key],
    signers: { inputs: [addressOf('mallory')] },
  });
  assert.deepEqual(kindsOf(chain.execute(forged)), ['invalid: wrong_witness']);
  assert.equal(chain.state.get('keys', key.keyHash), undefined);
});

test('[ECON-09] a fee is neither burned nor minted: it moves to the block and to the stake pool', () => {
  const chain = new TestChain();
  const wallet = new TestWallet(chain);
  chain.cut({ blocks: [{ transactions: [wallet.pay('bank', 'bob', COIN, { fee: 101n })] }] });
  const before = chain.economy;
  const subsidy = before.emission.intervalAmount / 12n;
  chain.cut();
  const after = chain.economy;
  assert.equal(after.burned, before.burned);
  assert.equal(after.minted - before.minted, subsidy);
  assert.equal(after.outputs - before.outputs, -101n);
  assert.equal(after.workReserve - before.workReserve, subsidy / 2n + 50n);
  assert.equal(after.stakePool - before.stakePool, subsidy - subsidy / 2n + 51n);
});

test('history lists what came and went, in order', () => {
  const chain = new TestChain();
  const wallet = new TestWallet(chain);
  const payment = wallet.pay('bank', 'bob', COIN, { fee: 0n });
  const { events } = chain.execute(payment);
  assert.deepEqual(
    events.history.map(({ kind, address, source, transactionId }) => ({
      kind,
      bob: address === addressOf('bob'),
      source,
      own: transactionId === payment.id,
    })),
    [
      { kind: 'spent', bob: false, source: 'genesis', own: true },
      { kind: 'received', bob: true, source: 'regular', own: true },
      { kind: 'received', bob: false, source: 'regular', own: true },
    ],
  );
});

test('the payers of a transaction are the addresses that it spends from, ascending and each once', () => {
  const chain = new TestChain();
  const wallet = new TestWallet(chain);
  const names = ['bob', 'carol', 'bob', 'dave'];
  chain.execute(...names.map((name) => wallet.pay('bank', name, COIN)));
  const descending = [...chain.state.records('outputs')]
    .filter(([, { amount }]) => amount === COIN)
    .sort(([, a], [, b]) => (a.address < b.address ? 1 : -1));
  const merged = wallet.draft({
    from: 'bob',
    outputs: [{ address: addressOf('erin'), amount: 4n * COIN - 1_000n }],
    inputs: descending.map(([key]) => key),
  });
  const [outcome] = chain.execute(merged).events.outcomes;
  assert.equal(outcome?.kind, 'finalized');
  assert.deepEqual(outcome?.payers, [...new Set(names)].map(addressOf).sort());
});
