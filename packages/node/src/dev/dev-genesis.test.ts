import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { ATOMS_PER_COIN, formatGenesis, GENESIS_SUPPLY, genesisValidatorId } from 'svc-ledger';
import { init } from 'svc-wasm';
import { hashLabel } from 'svc-wasm/protocol';
import { ChainFixture } from '../testing/chain-fixture.ts';
import { devCutTime } from './dev-config.ts';
import { type DevChainOptions, openDevChain } from './dev-genesis.ts';

const WISH: DevChainOptions = { validators: 3, paceMillis: 250, nowMillis: 1_750_000_000_000 };

suite('the chain of a development network', () => {
  let directory: string;
  before(async () => {
    await init();
    directory = temporaryDirectory();
  });

  test('everything is given out, and every validator can pay its heartbeats', () => {
    const { genesis, keys } = openDevChain(join(directory, 'new'), WISH);
    const { outputs, validators, paceMillis, timeMillis } = genesis;
    assert.deepEqual([validators.length, paceMillis], [3, 250]);
    assert.equal(timeMillis, WISH.nowMillis - 250);
    const sum = [...outputs, ...validators].reduce((total, { amount }) => total + amount, 0n);
    assert.equal(sum, GENESIS_SUPPLY);
    for (const { address } of keys.fees) {
      const funded = outputs.find((output) => output.address === address);
      assert.equal(funded?.amount, 1_000n * ATOMS_PER_COIN);
    }
  });

  test('a network that is there goes on as it was made', () => {
    const made = openDevChain(join(directory, 'kept'), WISH);
    const wish = { validators: 1, paceMillis: 5_000, nowMillis: WISH.nowMillis + 1 };
    const found = openDevChain(join(directory, 'kept'), wish);
    assert.equal(found.chainId, made.chainId);
    assert.equal(found.keys.consensus.length, 3);
  });

  test('a chain whose keys are not public is refused', async () => {
    const chain = await ChainFixture.create({ validators: 1 });
    const [validator] = chain.genesis.validators;
    const foreign = { ...validator, consensusPublicKey: new Uint8Array(1_952).fill(1) };
    const genesis = { ...chain.genesis, validators: [foreign] } as typeof chain.genesis;
    await chain.close();
    writeFileSync(join(directory, 'genesis.json'), formatGenesis(genesis));
    assert.throws(() => openDevChain(directory, WISH), /is not of a development network/);
  });

  test('ids of validators are known without the chain', async () => {
    const chain = await ChainFixture.create({ validators: 2 });
    const ids = [0, 1].map((place) => genesisValidatorId(hashLabel, place));
    assert.deepEqual(ids.toSorted(), chain.view.validatorIds().toSorted());
    await chain.close();
  });

  test('the pace that a network has is told, unless cuts are made by hand', () => {
    assert.equal(devCutTime('manual', 250), 'manual');
    assert.equal(devCutTime('auto', 100), 'auto');
    assert.equal(devCutTime('auto', 250), 250);
    assert.equal(devCutTime(500, 500), 500);
    assert.equal(devCutTime(500, 250), 250);
  });
});
