/**
 * Validators of a development network over epochs: heartbeats keep them live, absence puts one into jail for two
 * epochs, and signing twice costs one its bond. The tests follow one another on the same chain.
 */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { Caller } from './kit.ts';

interface ValidatorDocument {
  readonly validator: string;
  readonly state: string;
  readonly committee: boolean;
  readonly stake: string;
  readonly heartbeat_epoch: number | null;
  readonly jailed_until_epoch: number;
  readonly removal: { readonly burned: string } | null;
}

/** Longer than the time between cuts. */
const STILL_MILLIS = 600;
const SELF_BOND = 1_000_000n * 100_000_000n;
let caller: Caller;
let ids: readonly string[];

async function act(name: string, body: object): Promise<void> {
  const { status, body: answer } = await caller.post(`/v1/dev/${name}`, body);
  assert.equal(status, 200, JSON.stringify(answer));
}

/** Into the next epoch, and through a block that carries the heartbeats of its beginning. */
async function nextEpoch(): Promise<void> {
  await act('advance', { epochs: 1 });
  await act('mine', { cuts: 15 });
  await caller.network.node.miner.mine(1);
  await act('mine', { cuts: 3 });
}

async function validator(place: number): Promise<ValidatorDocument | undefined> {
  const path = `/v1/staking/validators/${ids[place]}`;
  return (await caller.get<{ validator?: ValidatorDocument }>(path)).body.validator;
}

async function burned(): Promise<bigint> {
  return BigInt((await caller.get<{ burned: string }>('/v1/economics/supply')).body.burned);
}

async function states(): Promise<string[]> {
  return Promise.all(
    ids.map(async (_, place) => {
      const { state = 'gone', committee = false } = (await validator(place)) ?? {};
      return committee ? `${state}, seated` : state;
    }),
  );
}

suite('validators of a development network', () => {
  before(async () => {
    caller = await Caller.start({ cutTime: 'manual', miner: false });
    ids = (await caller.get<{ validators: string[] }>('/v1/dev')).body.validators;
  });
  after(() => caller.close());

  test('a network whose cuts are made by hand makes none by itself', async () => {
    assert.equal(caller.height, 0);
    await act('mine', { cuts: 3 });
    await new Promise((resolve) => setTimeout(resolve, STILL_MILLIS));
    assert.equal(caller.height, 3);
  });

  test('all validators begin live and seated', async () => {
    assert.deepEqual(await states(), Array(4).fill('live, seated'));
  });

  test('miss_cuts: who misses four of the twelve windows of an epoch is jailed for the next two, and loses no stake', async () => {
    await act('miss_cuts', { validator_id: ids[3], cuts: 50 });
    await nextEpoch();
    const away = await validator(3);
    assert.ok(away !== undefined);
    assert.deepEqual([away.state, away.committee, away.jailed_until_epoch], ['jailed', false, 3]);
    assert.equal(BigInt(away.stake), SELF_BOND);
    assert.equal(await burned(), 0n);
  });

  test('equivocate: who signs twice is removed, and its bond is burned', async () => {
    await act('equivocate', { validator_id: ids[2] });
    for (let cuts = 0; cuts < 20 && (await burned()) === 0n; cuts++) await act('mine', { cuts: 1 });
    assert.equal(await burned(), SELF_BOND);
    const { state, committee, removal } = (await validator(2)) ?? {};
    assert.deepEqual([state, committee, removal?.burned], ['removed', true, String(SELF_BOND)]);
    await nextEpoch();
    assert.deepEqual(await states(), ['live, seated', 'live, seated', 'removed', 'jailed']);
  });

  test('heartbeats keep validators live for good, also one that sits in jail', async () => {
    await nextEpoch();
    await nextEpoch();
    const epoch = Math.floor((caller.height - 1) / 120);
    assert.equal(epoch, 4);
    assert.deepEqual(await states(), ['live, seated', 'live, seated', 'removed', 'live, seated']);
    for (const place of [0, 1, 3]) {
      const found = (await validator(place))?.heartbeat_epoch ?? null;
      assert.equal(found, epoch, `validator ${place}`);
    }
  });
});
