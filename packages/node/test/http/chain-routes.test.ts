/** The chain, the node, the economy and staking over HTTP. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ROUTES } from 'svc-api';
import { ATOMS_PER_COIN } from 'svc-ledger';
import { serviceIdentityForPublicKey } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { ChainSeries, type SeriesStep } from '../../../serve/src/http/history.ts';
import { errorOf, HttpNode } from './testing/http-node.ts';
import { FINAL_HEIGHT } from './testing/story.ts';
import { useStoryNode } from './testing/story-node.ts';

suite('chain, node and economy over HTTP', () => {
  const use = useStoryNode();

  test('[HTTP-18] the head is the last finalized cut', async () => {
    const { chain } = use.story.services;
    const last = chain.cuts.at(-1);
    assert.deepEqual(await use.node.call(ROUTES.chainHead), {
      api_version: 1,
      network: 'development',
      chain_id: chain.chainId,
      cut: {
        height: FINAL_HEIGHT,
        cut_id: last?.cutId,
        state_root: last?.result.stateRoot,
        validator_set_id: last?.result.validatorSetId,
      },
      time_millis: last?.input.timeMillis,
      epoch: 1,
    });
  });

  test('[HTTP-19] [HTTP-22] [HTTP-23] [SYNC-01] rates, sync and status are what the node says of itself', async () => {
    const { services } = use.story;
    assert.deepEqual(await use.node.call(ROUTES.chainRates), services.rates.document());
    assert.deepEqual(await use.node.call(ROUTES.nodeSync), services.sync());
    const status = await use.node.call(ROUTES.nodeStatus);
    assert.deepEqual(status, services.status());
    assert.deepEqual([status.update_required, status.update_announced], [false, false]);
  });

  test('[HTTP-21] the public key hashes to the identity', async () => {
    const { identity, public_key, algorithm } = await use.node.call(ROUTES.nodeIdentity);
    assert.equal(serviceIdentityForPublicKey(fromHex(public_key)), identity);
    assert.equal(algorithm, 'ML-DSA-65');
  });

  test('[HTTP-24] [SUPPLY-04] [SUPPLY-08] [SUPPLY-10] the supply document adds up, and its figures as plain text', async () => {
    const { chain } = use.story.services;
    const supply = await use.node.call(ROUTES.economicsSupply);
    const atoms = (name: keyof typeof supply) => BigInt(supply[name]);
    assert.equal(atoms('minted'), chain.economy.minted);
    assert.equal(atoms('burned'), 777n);
    const { outputs, bonded, unbonding, workReserve, stakeReserve } = chain.economy;
    assert.deepEqual(
      [atoms('circulating_supply'), atoms('bonded'), atoms('unbonding')],
      [outputs, bonded, unbonding],
    );
    assert.notEqual(workReserve, stakeReserve);
    assert.deepEqual([atoms('work_reserve'), atoms('stake_reserve')], [workReserve, stakeReserve]);
    assert.equal(atoms('max_supply'), 200_000_000n * ATOMS_PER_COIN);
    assert.equal(atoms('total_supply'), atoms('minted') - atoms('burned'));
    const parts = [
      'circulating_supply',
      'bonded',
      'unbonding',
      'work_reserve',
      'stake_reserve',
    ] as const;
    assert.equal(
      atoms('total_supply'),
      parts.reduce((sum, name) => sum + atoms(name), 0n),
    );
    assert.equal(atoms('unscheduled_emission'), atoms('max_supply') - atoms('minted'));
    assert.equal(await use.node.call(ROUTES.economicsSupplyMax), '200000000.00000000');
    const coins = async (
      route: typeof ROUTES.economicsSupplyTotal | typeof ROUTES.economicsSupplyCirculating,
    ) => BigInt((await use.node.call(route)).replace('.', ''));
    assert.equal(await coins(ROUTES.economicsSupplyTotal), atoms('total_supply'));
    assert.equal(await coins(ROUTES.economicsSupplyCirculating), atoms('circulating_supply'));
  });

  test('[HTTP-25] the emission document names the subsidy and the next reduction', async () => {
    const { chain } = use.story.services;
    const emission = await use.node.call(ROUTES.economicsEmission);
    // The second interval has 997 thousandths of 540,000 coins for its 120 cuts.
    assert.equal(emission.subsidy, '448650000000');
    assert.equal(emission.next_reduction_height, 241);
    assert.equal(emission.cuts_to_next_reduction, 241 - FINAL_HEIGHT);
    const headMillis = chain.cuts.at(-1)?.input.timeMillis ?? 0;
    assert.equal(emission.next_reduction_millis, headMillis + (241 - FINAL_HEIGHT) * 2_500);
  });

  test('[HTTP-26] the staking estimate for an amount', async () => {
    const amount = 5_000n * ATOMS_PER_COIN;
    const estimate = await use.node.call(ROUTES.economicsEstimateStaking, {
      query: { amount: String(amount) },
    });
    // Half of the interval's 538,380 coins, for two validators of a million and one delegation of a thousand.
    const reward = (269_190n * ATOMS_PER_COIN * 5_000n) / (2_001_000n + 5_000n);
    assert.equal(estimate.reward_per_day, String(reward));
    for (const wrong of ['-1', '1.5', '0x10', '', ' 1', '01', '99999999999999999999']) {
      const received = await use.node.get(
        `/v1/economics/estimate/staking?amount=${encodeURIComponent(wrong)}`,
      );
      assert.deepEqual(
        [received.status, errorOf(received).code, errorOf(received).path],
        [400, 'bad_amount', 'amount'],
        wrong,
      );
    }
    const missing = await use.node.get('/v1/economics/estimate/staking');
    assert.deepEqual([missing.status, errorOf(missing).code], [400, 'missing_field']);
  });

  test('[HTTP-11] staking positions of owners', async () => {
    const { chain } = use.story.services;
    const addresses = [0, 8, 4].map((account) => chain.text(account));
    const { positions } = await use.node.call(ROUTES.stakingPositions, { body: { addresses } });
    assert.deepEqual(
      positions.map(({ kind, owner_address, principal, state }) => [
        kind,
        owner_address,
        principal,
        state,
      ]),
      [
        ['self_bond', chain.text(0), String(1_000_000n * ATOMS_PER_COIN), 'bonded'],
        ['delegation', chain.text(8), String(1_000n * ATOMS_PER_COIN), 'bonded'],
      ],
    );
  });

  test('[HTTP-11] registered keys are those that have signed a finalized spend', async () => {
    const { chain } = use.story.services;
    const addresses = [0, 9, 8].map((account) => chain.text(account));
    const { keys } = await use.node.call(ROUTES.keysRegistered, { body: { addresses } });
    assert.deepEqual(
      keys.map(({ address, registered, registered_height }) => [
        address,
        registered,
        registered_height,
      ]),
      [
        [chain.text(0), true, 2],
        [chain.text(9), false, null],
        [chain.text(8), true, 3],
      ],
    );
    assert.equal(keys[0]?.public_key?.length, 2 * 1_952);
    assert.equal(keys[1]?.public_key, null);
  });

  test('validators by stake, page by page, and one with its attendance', async () => {
    const { chain } = use.story.services;
    const { validators, epoch } = await use.node.call(ROUTES.stakingValidators);
    assert.equal(epoch, 1);
    assert.equal(validators.length, 2);
    assert.ok(
      BigInt(validators[0]?.stake ?? 0) > BigInt(validators[1]?.stake ?? 0),
      'the delegated one first',
    );
    const first = await use.node.call(ROUTES.stakingValidators, { query: { limit: 1 } });
    const second = await use.node.call(ROUTES.stakingValidators, {
      query: { limit: 1, cursor: first.next_cursor },
    });
    assert.deepEqual([...first.validators, ...second.validators], validators);
    assert.equal(second.next_cursor, undefined);
    const id = validators[0]?.validator ?? '';
    const { validator } = await use.node.call(ROUTES.stakingValidator, { params: { id } });
    assert.equal(
      validator.owner_address,
      chain.text(chain.address(0) === chain.view.get('validators', id)?.ownerAddress ? 0 : 1),
    );
    assert.equal(validator.attendance?.epoch, 1);
    assert.equal(validator.attendance?.windows[0], true);
    assert.equal(validator.attendance?.windows[11], false);
    const unknown = await use.node.get(`/v1/staking/validators/${'00'.repeat(48)}`);
    assert.equal(unknown.status, 404);
  });

  test('search tells what a text names', async () => {
    const { story, node } = use;
    const { chain } = story.services;
    const find = async (q: string) => (await node.call(ROUTES.search, { query: { q } })).results;
    assert.deepEqual(await find('7'), [{ kind: 'cut', id: '7' }]);
    assert.deepEqual(await find(String(FINAL_HEIGHT + 1)), []);
    assert.deepEqual(await find(chain.text(3)), [{ kind: 'address', id: chain.text(3) }]);
    assert.deepEqual(await find(story.payment.id), [{ kind: 'transaction', id: story.payment.id }]);
    assert.deepEqual(await find(story.heldBlockId), [{ kind: 'block', id: story.heldBlockId }]);
    assert.deepEqual(await find(story.paidBlockId), [{ kind: 'block', id: story.paidBlockId }]);
    assert.deepEqual(await find(chain.cuts[4]?.cutId ?? ''), [{ kind: 'cut', id: '5' }]);
    const validator = chain.epoch.members[0]?.validatorId ?? '';
    assert.deepEqual(await find(validator), [{ kind: 'validator', id: validator }]);
    assert.deepEqual(await find('nothing of the kind'), []);
  });

  test('series reach back into the store and have one point for every step', async () => {
    const { chain } = use.story.services;
    const read = (metric: string, step?: number, limit?: number) =>
      use.node.call(ROUTES.chainSeries, { query: { metric, step, limit } });
    const blocks = await read('blocks', 1, 720);
    assert.deepEqual(
      blocks.points.map(({ height, value }) => [height, value]),
      chain.cuts.map(({ height, input }) => [height, String(input.registered.length)]),
    );
    const wide = await read('blocks', 24);
    assert.deepEqual(
      wide.points.map(({ height }) => height),
      [24, 48, 72, 96, 120, FINAL_HEIGHT],
    );
    const count = wide.points.reduce((sum, { value }) => sum + Number(value), 0);
    assert.equal(
      count,
      chain.cuts.reduce((sum, { input }) => sum + input.registered.length, 0),
    );
    const times = await read('cut_time', 1, 3);
    assert.deepEqual(
      times.points.map(({ value }) => value),
      ['2500', '2500', '2500'],
    );
    assert.deepEqual((await read('mempool')).points, [], 'what was not watched is not made up');
    const bad = await use.node.get('/v1/chain/series?metric=nothing');
    assert.deepEqual([bad.status, errorOf(bad).path], [400, 'metric']);
    assert.equal((await use.node.get('/v1/chain/series?metric=fees&step=2')).status, 400);
  });
});

test('series and attendance follow the chain', async (t) => {
  const node = await HttpNode.start(t);
  const { chain } = node.services;
  const wire = await chain.pay(0, chain.address(1), 5_000n);
  await chain.cut([chain.mine([wire])]);
  await chain.cut();
  const { points } = await node.call(ROUTES.chainSeries, { query: { metric: 'fees' } });
  assert.deepEqual(
    points.map(({ height, value }) => [height, value]),
    [
      [1, '0'],
      [2, '100000'],
    ],
  );
  await chain.runTo(121);
  const id = chain.epoch.members[0]?.validatorId ?? '';
  const { validator } = await node.call(ROUTES.stakingValidator, {
    params: { id },
    query: { epochs: 3 },
  });
  assert.deepEqual(validator.history, [
    { epoch: 0, windows: Array.from({ length: 12 }, () => true), present: 12 },
  ]);
});

test('series that are asked for late have the cuts of the store and those since, each once', async (t) => {
  const node = await HttpNode.start(t);
  const { chain, mempool } = node.services;
  await chain.runTo(30);
  const series = new ChainSeries(chain, mempool);
  t.after(() => series.close());
  await chain.runTo(50);
  const filling = series.filled();
  await chain.cut();
  await filling;
  await chain.cut();
  const heightsOf = (step: SeriesStep) =>
    series.read('cut_time', step, 720).map(({ height }) => height);
  assert.deepEqual(
    heightsOf(1),
    [...Array(52).keys()].map((index) => index + 1),
  );
  assert.deepEqual(heightsOf(24), [24, 48, 52]);
  const times = new Set(series.read('cut_time', 24, 720).map(({ value }) => value));
  assert.deepEqual([...times], [2_500n], 'the step that the start fell into has all of its cuts');
});

test('an answer is of one height while cuts come, and of the new one afterwards', async (t) => {
  const node = await HttpNode.start(t);
  const { chain } = node.services;
  const addresses = [chain.text(0), chain.text(1)];
  for (let round = 0; round < 6; round++) {
    const wire = await chain.pay(0, chain.address(1), 1_000n);
    await chain.cut([chain.mine([wire])]);
    const [answers] = await Promise.all([
      Promise.all(
        Array.from({ length: 8 }, () => node.call(ROUTES.addressBalances, { body: { addresses } })),
      ),
      chain.cut(),
    ]);
    for (const { balances, indexed_height } of answers) {
      const fees = BigInt(Math.floor(indexed_height / 2)) * 100_000n;
      const total = balances.reduce((sum, { balance }) => sum + BigInt(balance), 0n);
      const start = chain.genesis.outputs.slice(0, 2).reduce((sum, { amount }) => sum + amount, 0n);
      assert.equal(total, start - fees, `at ${indexed_height}`);
    }
    const { indexed_height } = await node.call(ROUTES.addressBalances, { body: { addresses } });
    assert.equal(indexed_height, chain.head.height);
  }
});
