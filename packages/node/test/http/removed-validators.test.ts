/** A removed validator stays readable over HTTP, also on a node that started from a later state. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ROUTES } from 'svc-api';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory } from 'svc-base/testing';
import { ATOMS_PER_COIN } from 'svc-ledger';
import { ChecksummedStore, exportSnapshot, importSnapshot } from 'svc-storage';
import { ChainCore } from '../../src/chain/chain-core.ts';
import { ServicesFixture } from '../../src/testing/services-fixture.ts';
import { errorOf, HttpNode } from './testing/http-node.ts';

const SELF_BOND = 1_000_000n * ATOMS_PER_COIN;
const REMOVED_AT = 7;

/** A chain of four validators, the third of which is removed. */
async function chainWithRemoval(
  t: TestContext,
): Promise<{ services: ServicesFixture; id: string }> {
  const services = await ServicesFixture.create({ validators: 4 });
  t.after(() => services.close());
  const { chain } = services;
  const id = chain.epoch.members[2]?.validatorId as string;
  await chain.runTo(REMOVED_AT - 1);
  await chain.cut([], [chain.contradiction(3, 2)]);
  return { services, id };
}

/** The chain of a node that started from the state of the head. */
async function chainFromState(t: TestContext, { chain }: ServicesFixture): Promise<ChainCore> {
  const directory = temporaryDirectory(t);
  mkdirSync(join(directory, 'chain'));
  const level = await ChecksummedStore.open(join(directory, 'chain', 'db'));
  await importSnapshot(level, exportSnapshot(chain.store), {
    chainId: chain.chainId,
    mode: 'full',
    directory: join(directory, 'chain'),
    checkCertificate: () => {},
  });
  await level.close();
  const core = await ChainCore.open({
    directory: join(directory, 'chain'),
    genesis: chain.genesis,
    mode: 'full',
    clock: SYSTEM_CLOCK,
    log: SILENT_LOG,
    onFatal: (error) => assert.fail(String(error)),
  });
  t.after(() => core.close());
  return core;
}

test('a removed validator is listed while it has a seat, and on request for good', async (t) => {
  const { services, id } = await chainWithRemoval(t);
  const { chain } = services;
  const node = await HttpNode.start(t, {}, services);
  const listed = async (state?: 'removed' | 'live') => {
    const query = state === undefined ? {} : { state };
    return (await node.call(ROUTES.stakingValidators, { query })).validators;
  };
  const removal = { height: REMOVED_AT, reason: 'equivocation', burned: String(SELF_BOND) };
  const expected = { validator: id, state: 'removed', stake: '0', removal } as const;

  const seated = await listed();
  assert.equal(seated.length, 4);
  assert.partialDeepStrictEqual(seated.at(-1), { ...expected, committee: true });
  assert.deepEqual(
    seated.slice(0, 3).map((each) => each.removal),
    [null, null, null],
  );

  await chain.runTo(chain.parameters.interval);
  assert.equal((await listed()).length, 3);
  assert.equal((await listed('live')).length, 3);
  const [only, ...others] = await listed('removed');
  assert.deepEqual(others, []);
  assert.partialDeepStrictEqual(only, { ...expected, committee: false });
  const { validator } = await node.call(ROUTES.stakingValidator, { params: { id } });
  assert.partialDeepStrictEqual(validator, { ...only, end_height: REMOVED_AT });
  assert.equal(errorOf(await node.get('/v1/staking/validators?state=gone')).path, 'state');
});

test('a cursor belongs to the state that was asked for', async (t) => {
  const { services } = await chainWithRemoval(t);
  const node = await HttpNode.start(t, {}, services);
  const live = { state: 'live', limit: 2 } as const;
  const first = await node.call(ROUTES.stakingValidators, { query: live });
  const { next_cursor: cursor } = first;
  const second = await node.call(ROUTES.stakingValidators, { query: { ...live, cursor } });
  assert.equal(first.validators.length + second.validators.length, 3);
  for (const query of ['', 'state=removed&']) {
    const refused = await node.get(`/v1/staking/validators?${query}cursor=${cursor}`);
    assert.equal(errorOf(refused).code, 'bad_cursor');
  }
});

test('a node that started from a later state answers the same', async (t) => {
  const { services, id } = await chainWithRemoval(t);
  const { chain } = services;
  await chain.runTo(chain.parameters.interval + 2);
  const core = await chainFromState(t, services);
  assert.equal(core.retention.indexedFrom > REMOVED_AT, true);
  const later: ServicesFixture = Object.create(services, { chain: { value: core } });
  const [whole, begun] = [
    await HttpNode.start(t, {}, services),
    await HttpNode.start(t, {}, later),
  ];
  for (const query of [{ state: 'removed' }, {}] as const)
    assert.deepEqual(
      await begun.call(ROUTES.stakingValidators, { query }),
      await whole.call(ROUTES.stakingValidators, { query }),
    );
  const { validator } = await begun.call(ROUTES.stakingValidator, { params: { id } });
  assert.equal(validator.removal?.height, REMOVED_AT);
});
