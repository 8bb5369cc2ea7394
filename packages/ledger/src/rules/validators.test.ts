import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executeAll, kindsOf } from '../../test/testing/outcomes.ts';
import { addressOf, COIN, publicKeyOf, TestChain } from '../../test/testing/test-chain.ts';
import { TestWallet } from '../../test/testing/test-wallet.ts';
import { type Identifier, keyAddress } from '../identifiers.ts';
import type { ValidatorRecord } from '../records.ts';
import type { ExecutableTransaction } from '../transaction.ts';
import { livenessOf } from './liveness.ts';

const M = 1_000_000n * COIN;
const BOND = 100_000n * COIN;

function setUp(interval = 12) {
  const chain = new TestChain(
    [
      { name: 'alice', amount: M },
      { name: 'bruno', amount: M },
    ],
    { interval },
  );
  return { chain, wallet: new TestWallet(chain) };
}

function validatorOf(chain: TestChain, owner: string): ValidatorRecord {
  return chain.state.get('validators', chain.validatorId(owner)) as ValidatorRecord;
}

function hasSeat(chain: TestChain, owner: string): boolean {
  return chain.bitOf(owner) !== 0n;
}

function heartbeat(chain: TestChain, wallet: TestWallet, owner: string): ExecutableTransaction {
  const epoch = BigInt(chain.epoch.epoch);
  const operation = { type: 'heartbeat', validatorId: chain.validatorId(owner), epoch } as const;
  const signer = keyAddress(validatorOf(chain, owner).consensusKey.keyHash);
  return wallet.draft({ from: 'bank', operation, owner: signer });
}

test('[LIMIT-16] a registration needs a self-bond of 100,000 coins', () => {
  for (const [amount, expected] of [
    [BOND, 'finalized'],
    [BOND - 1n, 'invalid: below_self_bond'],
  ] as const) {
    const { chain, wallet } = setUp();
    assert.deepEqual(kindsOf(chain.execute(wallet.register('nadia', amount))), [expected]);
  }
});

test('a registration needs the possession of a consensus key that was never used before', () => {
  const { chain, wallet } = setUp();
  const unheld = wallet.register('nadia', BOND);
  chain.signatures.sign(unheld.id, {
    inputs: unheld.inputs.map(() => addressOf('bank')),
    owner: addressOf('nadia'),
    possession: false,
    referenced: [],
  });
  assert.deepEqual(kindsOf(chain.execute(unheld)), ['invalid: wrong_witness']);
  const spendKey = publicKeyOf('spender');
  executeAll(
    chain,
    wallet.register('nadia', BOND, { key: 'n' }),
    wallet.pay('bank', 'bob', COIN, { inlineKeys: [spendKey] }),
  );
  const again = [
    wallet.register('oskar', BOND, { key: 'n' }),
    wallet.register('oskar', BOND, { key: 'spender' }),
  ];
  assert.deepEqual(kindsOf(chain.execute(...again)), [
    'no_effect: key_used_before',
    'no_effect: key_used_before',
  ]);
});

test('[LIVE-05] a registered validator sits and earns from the second epoch after', () => {
  const { chain, wallet } = setUp();
  executeAll(chain, wallet.register('nadia', BOND));
  const seats: boolean[] = [];
  for (let epoch = 0; epoch < 3; epoch++) {
    seats.push(hasSeat(chain, 'nadia'));
    chain.runToEndOf(epoch);
  }
  assert.deepEqual(seats, [false, false, true]);
  chain.cut();
  const earned = chain.results
    .flatMap(({ events }) => events.stakePayouts)
    .filter(({ validatorId }) => validatorId === chain.validatorId('nadia'))
    .map(({ epoch }) => epoch);
  assert.deepEqual(earned, [2]);
});

test('[LIVE-01] [LIVE-02] two epochs without a heartbeat cost the seat, the next one brings it back', () => {
  const { chain, wallet } = setUp();
  executeAll(chain, heartbeat(chain, wallet, 'bruno'));
  const seats: [boolean, boolean][] = [];
  for (let epoch = 0; epoch < 6; epoch++) {
    if (epoch === 3) executeAll(chain, heartbeat(chain, wallet, 'alice'));
    else if (epoch > 0) executeAll(chain, heartbeat(chain, wallet, 'bruno'));
    seats.push([hasSeat(chain, 'alice'), hasSeat(chain, 'bruno')]);
    chain.runToEndOf(epoch);
  }
  assert.deepEqual(
    seats.map(([alice]) => alice),
    [true, true, true, false, true, true],
  );
  assert.ok(seats.every(([, bruno]) => bruno));
  const { heartbeatEpoch } = validatorOf(chain, 'alice');
  assert.equal(heartbeatEpoch, 3);
  assert.deepEqual(
    [3, 4, 5, 6].map((epoch) => livenessOf(validatorOf(chain, 'alice'), epoch)),
    ['live', 'live', 'live', 'lapsed'],
  );
});

test('a heartbeat counts once in its own epoch and is signed by the active consensus key', () => {
  const { chain, wallet } = setUp();
  const validatorId = chain.validatorId('alice');
  const early = wallet.operate('alice', { type: 'heartbeat', validatorId, epoch: 0n });
  const next = { type: 'heartbeat', validatorId, epoch: 1n } as const;
  const signer = keyAddress(validatorOf(chain, 'alice').consensusKey.keyHash);
  const result = chain.execute(
    early,
    wallet.draft({ from: 'bank', operation: next, owner: signer }),
    heartbeat(chain, wallet, 'alice'),
    heartbeat(chain, wallet, 'alice'),
  );
  assert.deepEqual(kindsOf(result), [
    'invalid: wrong_witness',
    'no_effect: another_epoch',
    'finalized',
    'no_effect: heartbeat_repeated',
  ]);
  chain.runToEndOf(0);
  const past = { type: 'heartbeat', validatorId, epoch: 0n } as const;
  const late = wallet.draft({ from: 'bank', operation: past, owner: signer });
  assert.deepEqual(kindsOf(chain.execute(late)), ['no_effect: another_epoch']);
});

test('[LIVE-04] eight windows of twelve jail a member for two epochs; it loses no stake', () => {
  const { chain, wallet } = setUp(24);
  const stake = validatorOf(chain, 'bruno').stake;
  for (let height = 1; height <= 24; height++) {
    const absent = Math.floor((height - 1) / 2) >= 8 ? chain.bitOf('bruno') : 0n;
    chain.cut({ signers: chain.allSigners & ~absent });
  }
  const seats: boolean[] = [];
  for (let epoch = 1; epoch < 5; epoch++) {
    executeAll(chain, heartbeat(chain, wallet, 'alice'), heartbeat(chain, wallet, 'bruno'));
    seats.push(hasSeat(chain, 'bruno'));
    chain.runToEndOf(epoch);
  }
  assert.deepEqual(seats, [false, false, true, true]);
  assert.equal(validatorOf(chain, 'bruno').stake, stake);
  const epochsPaid = chain.results
    .flatMap(({ events }) => events.stakePayouts)
    .filter(({ validatorId }) => validatorId === chain.validatorId('bruno'))
    .map(({ epoch }) => epoch);
  assert.deepEqual(epochsPaid, [3]);
});

test('nine windows of twelve keep a member out of jail', () => {
  const { chain } = setUp(24);
  for (let height = 1; height <= 24; height++) {
    const absent = Math.floor((height - 1) / 2) >= 9 ? chain.bitOf('bruno') : 0n;
    chain.cut({ signers: chain.allSigners & ~absent });
  }
  assert.ok(hasSeat(chain, 'bruno'));
});

test('[LIVE-08] a new endpoint takes effect two epochs later, signed by owner and active key', () => {
  const { chain, wallet } = setUp();
  const validatorId = chain.validatorId('alice');
  const { consensusKey } = validatorOf(chain, 'alice');
  const endpoint = Uint8Array.of(9, 9);
  const operation = { type: 'endpoint', validatorId, consensusKey, endpoint } as const;
  const other = { ...operation, consensusKey: publicKeyOf('other') };
  assert.deepEqual(
    kindsOf(
      chain.execute(
        wallet.operate('mallory', operation),
        wallet.operate('alice', other),
        wallet.operate('alice', operation),
      ),
    ),
    ['invalid: wrong_witness', 'no_effect: another_key', 'finalized'],
  );
  const lengths: number[] = [];
  for (let epoch = 0; epoch < 3; epoch++) {
    lengths.push(validatorOf(chain, 'alice').endpoint.length);
    chain.runToEndOf(epoch);
  }
  assert.deepEqual(lengths, [1, 1, 2]);
});

test('[LIVE-09] a new consensus key signs from the second epoch after the rotation', () => {
  const { chain, wallet } = setUp();
  const validatorId = chain.validatorId('alice');
  const rotation = (key: string) =>
    wallet.operate('alice', {
      type: 'rotate_key',
      validatorId,
      consensusKey: publicKeyOf(key),
      endpoint: Uint8Array.of(3),
    });
  const old = validatorOf(chain, 'alice').consensusKey.publicKey;
  executeAll(chain, rotation('second'));
  assert.deepEqual(kindsOf(chain.execute(rotation('third'))), ['no_effect: rotation_pending']);
  const signing: Uint8Array[] = [];
  for (let epoch = 0; epoch < 3; epoch++) {
    const member = chain.epoch.members.find((candidate) => candidate.validatorId === validatorId);
    signing.push(member?.publicKey as Uint8Array);
    chain.runToEndOf(epoch);
  }
  assert.deepEqual(signing, [old, old, publicKeyOf('second').publicKey]);
  assert.deepEqual(kindsOf(chain.execute(rotation('second'))), ['no_effect: key_used_before']);
});

function positionOf(chain: TestChain, owner: string): Identifier {
  const found = chain.state
    .records('positions')
    .find(([, position]) => position.ownerAddress === addressOf(owner));
  assert.ok(found, `${owner} has no position`);
  return found[0];
}

test('[LIVE-06] [LIMIT-18] after an exit every position unbonds and is withdrawn after ten days', () => {
  const { chain, wallet } = setUp();
  const validatorId = chain.validatorId('bruno');
  executeAll(chain, wallet.bond('dora', validatorId, 2n * M));
  const before = chain.economy;
  const exit = executeAll(chain, wallet.operate('bruno', { type: 'exit', validatorId }));
  assert.equal(chain.economy.bonded, before.bonded - 3n * M);
  assert.equal(chain.economy.unbonding, 3n * M);
  const withdraw = (owner: string) =>
    wallet.operate(owner, { type: 'withdraw', positionId: positionOf(chain, owner) });
  const release = exit.height + 10 * chain.parameters.interval;
  chain.runTo(release - 3);
  chain.cut({ blocks: [{ transactions: [withdraw('dora')] }] });
  const early = chain.cut({ blocks: [{ transactions: [withdraw('dora')] }] });
  assert.equal(early.height, release - 1);
  assert.deepEqual(kindsOf(early), ['no_effect: nothing_released']);
  const due = chain.cut();
  assert.equal(due.height, release);
  assert.deepEqual(kindsOf(due), ['finalized']);
  executeAll(chain, withdraw('bruno'));
  assert.equal(chain.economy.unbonding, 0n);
  assert.equal(chain.state.get('validators', validatorId), undefined);
  const returned = chain.state.records('outputs').filter(([, o]) => o.source === 'stake_return');
  assert.deepEqual(
    returned.map(([, { address, amount }]) => [address, amount]).sort(),
    [
      [addressOf('dora'), 2n * M],
      [addressOf('bruno'), M],
    ].sort(),
  );
});

test('an exit is the owner’s alone, and a validator that left can do nothing more', () => {
  const { chain, wallet } = setUp();
  const validatorId = chain.validatorId('bruno');
  assert.deepEqual(kindsOf(chain.execute(wallet.operate('alice', { type: 'exit', validatorId }))), [
    'invalid: wrong_witness',
  ]);
  executeAll(chain, wallet.operate('bruno', { type: 'exit', validatorId }));
  const after = chain.execute(
    wallet.operate('bruno', { type: 'exit', validatorId }),
    wallet.operate('bruno', { type: 'commission', validatorId, commissionBps: 0 }),
    wallet.bond('dora', validatorId, M),
    heartbeat(chain, wallet, 'bruno'),
    wallet.operate('bruno', {
      type: 'unbond',
      positionId: positionOf(chain, 'bruno'),
      amount: 1n,
    }),
  );
  assert.deepEqual(kindsOf(after), new Array(5).fill('no_effect: validator_left'));
});
