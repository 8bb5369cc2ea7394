import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../test/stake/random.ts';
import { executeAll, kindsOf } from '../../test/testing/outcomes.ts';
import { referenceHash } from '../../test/testing/reference-hash.ts';
import { COIN, publicKeyOf, TestChain } from '../../test/testing/test-chain.ts';
import { recover, recoveryOf } from '../../test/testing/test-recovery.ts';
import { TestWallet } from '../../test/testing/test-wallet.ts';
import { keyAddress } from '../identifiers.ts';
import { epochStart, setStart } from '../parameters.ts';
import { type CommitteeMember, SINGLE_KEY, type ValidatorRecord } from '../records.ts';
import { windowsPresent } from './attendance.ts';
import { validatorSetIdOf } from './committee.ts';
import { livenessOf } from './liveness.ts';
import { type RecoveryFault, recoveryFault, viewForNextCut } from './recovery.ts';

const M = 1_000_000n * COIN;
const NAMES = ['alice', 'bruno', 'clara', 'dario'];
const INTERVAL = 24;

function setUp(): { chain: TestChain; wallet: TestWallet } {
  const validators = NAMES.map((name, index) => ({ name, amount: M + BigInt(index) * COIN }));
  const chain = new TestChain(validators, { interval: INTERVAL });
  return { chain, wallet: new TestWallet(chain) };
}

function validatorOf(chain: TestChain, owner: string): ValidatorRecord {
  return chain.state.get('validators', chain.validatorId(owner)) as ValidatorRecord;
}

/** Who has a seat, in the order of the names. */
function seated(chain: TestChain): string[] {
  return NAMES.filter((name) => chain.bitOf(name) !== 0n);
}

function keyOf(chain: TestChain, owner: string): Uint8Array | undefined {
  const id = chain.validatorId(owner);
  return chain.epoch.members.find(({ validatorId }) => validatorId === id)?.publicKey;
}

function beat(chain: TestChain, wallet: TestWallet, ...owners: readonly string[]): void {
  const beats = owners.map((owner) => {
    const { keyHash } = validatorOf(chain, owner).consensusKey;
    const validatorId = chain.validatorId(owner);
    const operation = {
      type: 'heartbeat',
      validatorId,
      epoch: BigInt(chain.epoch.epoch),
    } as const;
    return wallet.draft({ from: 'bank', operation, owner: keyAddress(keyHash) });
  });
  executeAll(chain, ...beats);
}

test('the cut after a recovery is signed by the members that it names, with their new keys and old stakes', () => {
  const { chain } = setUp();
  chain.runTo(7);
  const before = chain.epoch.members;
  const recovery = recoveryOf(chain, ['alice', 'clara']);
  recover(chain, recovery);
  const { validatorSetId, nextValidatorSetId } = chain.cut();
  const members = recovery.members.map(({ validatorId, publicKey, stake }) => {
    const seat = before.find((member) => member.validatorId === validatorId) as CommitteeMember;
    assert.equal(seat.stake, stake);
    return { ...seat, publicKey };
  });
  assert.deepEqual(chain.epoch.members, members);
  assert.deepEqual(
    [validatorSetId, nextValidatorSetId],
    Array(2).fill(validatorSetIdOf(referenceHash, members)),
  );
  assert.notEqual(validatorSetId, chain.results.at(-2)?.nextValidatorSetId);
  for (const [owner, key] of [
    ['alice', publicKeyOf('recovered alice at 7')],
    ['clara', publicKeyOf('recovered clara at 7')],
  ] as const) {
    assert.deepEqual(validatorOf(chain, owner).consensusKey, key);
    assert.deepEqual(chain.state.get('keys', key.keyHash), { publicKey: key.publicKey });
  }
});

test('the state root commits to the recovery: the same one gives the same roots, another one others', () => {
  const rootsOf = (owners: readonly string[] | null): string[] => {
    const { chain } = setUp();
    chain.runTo(7);
    if (owners !== null) recover(chain, recoveryOf(chain, owners));
    chain.runTo(30);
    return chain.results.map(({ stateRoot }) => stateRoot);
  };
  const roots = rootsOf(['alice', 'clara']);
  assert.deepEqual(rootsOf(['alice', 'clara']), roots);
  for (const other of [rootsOf(null), rootsOf(['alice', 'bruno'])]) {
    assert.deepEqual(other.slice(0, 7), roots.slice(0, 7));
    assert.notEqual(other[7], roots[7]);
  }
});

test('a member that is not named is jailed for two epochs, loses no stake, and comes back as it was', () => {
  const { chain, wallet } = setUp();
  chain.runTo(7);
  recover(chain, recoveryOf(chain, ['alice', 'clara']));
  const { events } = chain.cut();
  assert.deepEqual(
    events.validators,
    [...['bruno', 'dario'].map((name) => chain.validatorId(name))]
      .sort()
      .map((validatorId) => ({ type: 'jailed', validatorId, untilEpoch: 3 })),
  );
  const seats: string[][] = [];
  for (let epoch = 0; epoch < 4; epoch++) {
    beat(chain, wallet, ...NAMES);
    seats.push(seated(chain));
    assert.equal(livenessOf(validatorOf(chain, 'bruno'), epoch), epoch < 3 ? 'jailed' : 'live');
    chain.runToEndOf(epoch);
  }
  const few = ['alice', 'clara'];
  assert.deepEqual(seats, [few, few, few, NAMES]);
  assert.equal(validatorOf(chain, 'bruno').stake, M + COIN);
  const epochsPaid = (owner: string): number[] =>
    chain.results
      .flatMap((result) => result.events.stakePayouts)
      .filter(({ validatorId }) => validatorId === chain.validatorId(owner))
      .map(({ epoch }) => epoch);
  assert.deepEqual(epochsPaid('alice'), [0, 1, 2]);
  assert.deepEqual(epochsPaid('bruno'), []);
});

test('the key before, a pending key and the new key are all used up, and the new one signs heartbeats', () => {
  const { chain, wallet } = setUp();
  const validatorId = chain.validatorId('alice');
  const rotation = (key: string) =>
    wallet.operate('alice', {
      type: 'rotate_key',
      validatorId,
      consensusKey: publicKeyOf(key),
      endpoint: Uint8Array.of(3),
    });
  executeAll(chain, rotation('pending'));
  chain.runTo(7);
  recover(chain, recoveryOf(chain, ['alice', 'clara', 'dario']));
  chain.cut();
  assert.equal(validatorOf(chain, 'alice').pendingKey, null);
  beat(chain, wallet, 'alice');
  for (const key of ['pending', 'recovered alice at 7'])
    assert.deepEqual(kindsOf(chain.execute(rotation(key))), ['no_effect: key_used_before']);
  executeAll(chain, rotation('later'));
  chain.runToEndOf(0);
  assert.deepEqual(keyOf(chain, 'alice'), publicKeyOf('recovered alice at 7').publicKey);
  chain.runToEndOf(1);
  assert.deepEqual(keyOf(chain, 'alice'), publicKeyOf('later').publicKey);
});

test('windows up to the recovery count as attended, and the signers of its cut are of the set before', () => {
  const { chain } = setUp();
  const absent = chain.bitOf('alice');
  chain.runTo(15, { signers: chain.allSigners & ~absent });
  recover(chain, recoveryOf(chain, ['alice', 'bruno', 'clara']));
  const signers = chain.allSigners;
  assert.equal(signers, 15n);
  chain.cut({ signers });
  assert.deepEqual(
    chain.epoch.attendance.map((seen) => [seen.signatures, windowsPresent(seen)]),
    Array(3).fill([0, 8]),
  );
  chain.cut({ signers: 0b101n });
  assert.deepEqual(
    chain.epoch.attendance.map((seen) => [seen.signatures, windowsPresent(seen)]),
    [
      [1, 9],
      [0, 8],
      [1, 9],
    ],
  );
  chain.runToEndOf(0);
  assert.deepEqual(seated(chain), ['alice', 'bruno', 'clara']);
});

test('a recovery may be at any height of an epoch, at its last cut and the one before too', () => {
  for (const height of [1, INTERVAL - 1, INTERVAL, INTERVAL + 1]) {
    const { chain } = setUp();
    chain.runTo(height);
    const recovery = recoveryOf(chain, ['alice', 'clara']);
    recover(chain, recovery);
    const elected = chain.epoch;
    const { validatorSetId, nextValidatorSetId } = chain.cut();
    assert.equal(setStart(chain.parameters, height + 1), height + 1);
    const named = recovery.members.map(({ validatorId, publicKey }) => ({
      ...(elected.members.find((seat) => seat.validatorId === validatorId) as CommitteeMember),
      publicKey,
    }));
    assert.equal(validatorSetId, validatorSetIdOf(referenceHash, named), `${height}`);
    assert.equal(nextValidatorSetId, chain.epoch.validatorSetId);
    assert.equal(chain.epoch.epoch, Math.floor(height / INTERVAL) + (height === 23 ? 1 : 0));
    assert.deepEqual(seated(chain), ['alice', 'clara']);
    chain.runToEndOf(2);
    assert.equal(setStart(chain.parameters, chain.height), epochStart(2, INTERVAL));
  }
});

test('a chain can be recovered again, from the committee of the recovery before', () => {
  const { chain } = setUp();
  chain.runTo(7);
  recover(chain, recoveryOf(chain, ['alice', 'bruno', 'clara']));
  chain.runTo(9);
  const second = recoveryOf(chain, ['bruno', 'clara']);
  assert.equal(recoveryFault(chain.state, recoveryOf(chain, ['dario', 'clara'])), 'unknown_member');
  recover(chain, second);
  chain.runToEndOf(0);
  assert.deepEqual(keyOf(chain, 'clara'), publicKeyOf('recovered clara at 9').publicKey);
  assert.deepEqual(seated(chain), ['bruno', 'clara']);
});

test('a recovery whose members cannot be its members is refused, and never applied', () => {
  const { chain, wallet } = setUp();
  executeAll(
    chain,
    wallet.register('nadia', M),
    wallet.operate('dario', { type: 'exit', validatorId: chain.validatorId('dario') }),
    wallet.pay('bank', 'bob', COIN, { inlineKeys: [publicKeyOf('spender')] }),
  );
  const { consensusKey } = validatorOf(chain, 'alice');
  const other = validatorOf(chain, 'bruno').consensusKey;
  const table: [string[], Parameters<typeof recoveryOf>[2], RecoveryFault | null][] = [
    [['alice', 'clara'], (member) => member, null],
    [['alice', 'nadia'], (member) => member, 'unknown_member'],
    [['alice'], (member) => ({ ...member, stake: member.stake + 1n }), 'other_stake'],
    [['dario'], (member) => member, 'not_active'],
    [['alice'], (member) => ({ ...member, ...consensusKey }), 'key_used_before'],
    [['alice'], (member) => ({ ...member, ...other }), 'key_used_before'],
    [['alice'], (member) => ({ ...member, ...publicKeyOf('spender') }), 'key_used_before'],
  ];
  for (const [owners, change, fault] of table) {
    const recovery = recoveryOf(chain, owners, change);
    assert.equal(recoveryFault(chain.state, recovery), fault, `${owners}`);
    if (fault === null) continue;
    const { parameters } = chain;
    recover(chain, recovery);
    assert.throws(() => chain.cut(), new RegExp(fault));
    chain.parameters = parameters;
  }
});

test('an offence of before the recovery is punished after it', () => {
  const { chain } = setUp();
  chain.runTo(7);
  recover(chain, recoveryOf(chain, ['alice', 'clara']));
  chain.cut();
  const ids = ['alice', 'bruno'].map((name) => chain.validatorId(name));
  const evidence = ids.map((validatorId) => ({ validatorId, height: 5 }));
  const { events } = chain.cut({ evidence });
  assert.deepEqual(
    events.validators.map(({ type }) => type),
    ['removed', 'removed'],
  );
});

test('the view for the next cut shows the recovery at its cut alone', () => {
  const { chain } = setUp();
  chain.runTo(6);
  const ports = { hash: referenceHash, parameters: chain.parameters };
  assert.equal(viewForNextCut(ports, chain.state), chain.state);
  chain.cut();
  recover(chain, recoveryOf(chain, ['alice', 'clara']));
  const view = viewForNextCut({ ...ports, parameters: chain.parameters }, chain.state);
  const shown = view.get('epoch', SINGLE_KEY);
  assert.notDeepEqual(shown, chain.epoch);
  const validators = view.validatorIds().map((id) => view.get('validators', id));
  chain.cut();
  assert.deepEqual(shown, chain.epoch);
  assert.deepEqual(
    validators,
    chain.state.validatorIds().map((id) => chain.state.get('validators', id)),
  );
  const after = { ...ports, parameters: chain.parameters };
  assert.equal(viewForNextCut(after, chain.state), chain.state);
});

test('random recoveries keep all atoms, seat exactly the named members, and keep the seats of those that sign', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = new Random(seed);
    const { chain, wallet } = setUp();
    for (let round = 0; round < 3; round++) {
      beat(chain, wallet, ...NAMES);
      chain.runTo(chain.height + random.between(1, INTERVAL));
      executeAll(chain, wallet.bond('dora', chain.validatorId('alice'), COIN));
      const seats = seated(chain);
      const one = random.pick(seats);
      const named = seats.filter((name) => name === one || random.chance(60));
      const { bonded } = chain.economy;
      recover(chain, recoveryOf(chain, named));
      const isEnd = (chain.height + 1) % INTERVAL === 0;
      chain.cut();
      assert.equal(chain.economy.bonded, bonded);
      if (!isEnd) assert.deepEqual(seated(chain), named, `seed ${seed}`);
      chain.runToEndOf(chain.epoch.epoch);
      const left = seats.filter((name) => !named.includes(name));
      for (const [names, state] of [
        [named, 'live'],
        [left, 'jailed'],
      ] as const)
        for (const name of names)
          assert.equal(livenessOf(validatorOf(chain, name), chain.epoch.epoch), state);
      assert.ok(seated(chain).every((name) => !left.includes(name)));
    }
  }
});
