import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock, until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { concatBytes, equalBytes, toHex } from 'svc-wasm/base';
import { sha384 } from 'svc-wasm/kernel';
import { cutId, type ValidatorSet } from 'svc-wasm/protocol';
import type { StateOffer, StateSource } from '../src/application.ts';
import type { Network } from '../src/network.ts';
import { StateFetch } from '../src/sync/state-fetch.ts';
import type { CertifiedHeader, Checkpoint, StateKeeper } from '../src/sync/state-keeper.ts';
import { startNetwork } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { bytesFrom, ChainScript } from './testing/script.ts';

await init();

const LENGTH = 12;
const HEIGHT = 8;
const RANGES = 24;
const script = new ChainScript({ seed: 'states' }).grow(LENGTH);
/** Under load an answer may take long; nothing here waits for an answer that does not come. */
const TIMING = { silenceMillisMax: 60_000, answerMillisMax: 60_000, impatienceMillis: 60_000 };

/** A state of bytes that mean nothing, whose manifest is the hashes of its ranges. */
class MemoryState implements StateSource {
  readonly height: number;
  readonly ranges: readonly Uint8Array[];
  readonly manifestBytes: Uint8Array;
  readonly manifestId: string;
  /** The ranges that were asked for. */
  readonly asked: number[] = [];
  lies = false;
  /** A range that it does not give out; it says so, or breaks the stream off. */
  withheld: number | undefined;
  breaksOff = false;

  constructor(seed: string, height = HEIGHT) {
    this.height = height;
    this.ranges = Array.from({ length: RANGES }, (_, index) =>
      bytesFrom(`${seed}/${index}`, index === 3 ? 300_000 : 1_000),
    );
    this.manifestBytes = concatBytes(...this.ranges.map((range) => sha384(range)));
    this.manifestId = toHex(sha384(this.manifestBytes));
  }

  offers(): StateOffer[] {
    return [{ height: this.height, manifestId: this.manifestId }];
  }

  async manifest(manifestId: string): Promise<Uint8Array | undefined> {
    return manifestId === this.manifestId ? this.manifestBytes : undefined;
  }

  async range(manifestId: string, index: number): Promise<Uint8Array | undefined> {
    if (manifestId !== this.manifestId) return undefined;
    this.asked.push(index);
    if (index === this.withheld) {
      if (this.breaksOff) throw new Error('broken off');
      return undefined;
    }
    return this.lies ? bytesFrom('lie', 1_000) : this.ranges[index];
  }
}

class MemoryKeeper implements StateKeeper {
  begun: StateOffer | undefined;
  /** The manifest that is proven; all others are refused. */
  readonly proven: MemoryState;
  /** States that may have been begun before. */
  earlier: readonly MemoryState[] = [];
  readonly kept = new Map<number, Uint8Array>();
  readonly refused = { cuts: 0, manifests: 0, ranges: 0 };

  constructor(proven: MemoryState) {
    this.proven = proven;
  }

  checkpoint: Checkpoint | undefined;
  trusted: string | undefined;

  trust(header: Uint8Array, set: ValidatorSet): void {
    this.trusted = `${toHex(cutId(header))} ${toHex(set.id)}`;
  }

  get ranges(): number {
    return RANGES;
  }

  refusalOfCut({ header, set }: CertifiedHeader): string | null {
    const isOurs = toHex(cutId(header)) === script.cuts[this.proven.height - 1]?.id;
    if (isOurs && equalBytes(set.id, script.committee(this.proven.height).set.id)) return null;
    this.refused.cuts++;
    return 'another cut';
  }

  async begin(_cut: CertifiedHeader, manifest: Uint8Array): Promise<string | null> {
    if (!equalBytes(manifest, this.proven.manifestBytes)) {
      this.refused.manifests++;
      return 'another root';
    }
    this.kept.clear();
    const [offer] = this.proven.offers();
    this.begun = offer;
    return null;
  }

  async missing(): Promise<number[]> {
    return Array.from({ length: RANGES }, (_, index) => index).filter((at) => !this.kept.has(at));
  }

  async put(index: number, bytes: Uint8Array): Promise<string | null> {
    const state = [this.proven, ...this.earlier].find(
      ({ manifestId }) => manifestId === this.begun?.manifestId,
    );
    if (!equalBytes(bytes, state?.ranges[index] as Uint8Array)) {
      this.refused.ranges++;
      return 'wrong bytes';
    }
    this.kept.set(index, bytes);
    return null;
  }
}

async function serve(t: TestContext, states: StateSource): Promise<Network> {
  const application = new MemoryApplication(script).adopt();
  return startNetwork(t, Object.assign(application, { states }));
}

/** Fetches by a clock that advances whenever no answer is awaited, however long that takes. */
async function fetchByTurns(
  t: TestContext,
  servers: readonly Network[],
  keeper: StateKeeper,
): Promise<{ readonly height: number | undefined; readonly network: Network }> {
  const bootstrap = servers.map(({ addresses }) => addresses[0] as string);
  const application = new MemoryApplication(script);
  const network = await startNetwork(t, application, { bootstrap, follows: false });
  await until(() => network.peers.size === servers.length, 'all servers are peers');
  const clock = new ManualClock();
  const ports = { application, peers: network.peers, clock, log: SILENT_LOG, timing: TIMING };
  const fetching = new StateFetch({ ...ports, keeper });
  t.after(() => fetching.close());
  let isDone = false;
  const running = fetching.run().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await nextTurn();
    if (clock.pending <= 1) clock.advance(100);
  }
  return { height: await running, network };
}

async function fetchFrom(
  t: TestContext,
  servers: readonly Network[],
  keeper: MemoryKeeper,
): Promise<number | undefined> {
  const bootstrap = servers.map(({ addresses }) => addresses[0] as string);
  const newcomer = new MemoryApplication(script);
  const options = { bootstrap, follows: false, syncTiming: TIMING };
  const network = await startNetwork(t, newcomer, options);
  const fetching = network.stateFetch(keeper);
  const had = keeper.kept.size;
  const height = await fetching.run();
  const { rangesLeft, refusedRanges, provenBytes } = fetching.progress;
  assert.deepEqual([rangesLeft, refusedRanges], [0, keeper.refused.ranges]);
  assert.equal(provenBytes > 0, keeper.kept.size > had);
  assert.equal(newcomer.tip.height, 0, 'no cut was fetched');
  return height;
}

test('a state is fetched from several peers, and a liar among them costs what it was asked for at once', async (t) => {
  const states = ['same', 'same', 'same'].map((seed) => new MemoryState(seed));
  const [liar] = states as [MemoryState];
  liar.lies = true;
  const servers = await Promise.all(states.map((state) => serve(t, state)));
  const keeper = new MemoryKeeper(new MemoryState('same'));
  assert.equal(await fetchFrom(t, servers, keeper), HEIGHT);
  assert.equal(keeper.kept.size, RANGES);
  assert.ok(liar.asked.length <= 2, `the liar was asked ${liar.asked.length} times`);
});

test('what most peers have is fetched, not what one claims to be newer', async (t) => {
  const honest = ['most', 'most'].map((seed) => new MemoryState(seed));
  const other = new MemoryState('one', HEIGHT + 2);
  const servers = await Promise.all([other, ...honest].map((state) => serve(t, state)));
  const keeper = new MemoryKeeper(new MemoryState('most'));
  assert.equal(await fetchFrom(t, servers, keeper), HEIGHT);
  assert.equal(keeper.kept.size, RANGES);
});

test('a refused manifest is not requested again, and another state is fetched', async (t) => {
  const wrong = new MemoryState('wrong', HEIGHT);
  const right = new MemoryState('right', HEIGHT);
  const offers = (): StateOffer[] => [...wrong.offers(), ...right.offers()];
  const both: StateSource = {
    offers,
    manifest: async (id) => (await wrong.manifest(id)) ?? (await right.manifest(id)),
    range: (id, index) => right.range(id, index),
  };
  const keeper = new MemoryKeeper(new MemoryState('right'));
  assert.equal(await fetchFrom(t, [await serve(t, both)], keeper), HEIGHT);
  assert.equal(keeper.refused.manifests, 1);
  assert.equal(wrong.asked.length, 0);
});

test('what was begun continues with the ranges that are missing', async (t) => {
  const state = new MemoryState('again');
  const keeper = new MemoryKeeper(state);
  [keeper.begun] = state.offers();
  for (let index = 0; index < RANGES - 5; index++)
    keeper.kept.set(index, state.ranges[index] as Uint8Array);
  const served = new MemoryState('again');
  assert.equal(await fetchFrom(t, [await serve(t, served)], keeper), HEIGHT);
  assert.deepEqual([...new Set(served.asked)].sort(), [19, 20, 21, 22, 23]);
});

test('a checkpoint is shown by a peer before anything is proven with it', async (t) => {
  const state = new MemoryState('checkpoint');
  const keeper = new MemoryKeeper(state);
  const cut = script.cuts[3]?.id ?? '';
  keeper.checkpoint = { height: 4, cutId: cut };
  assert.equal(await fetchFrom(t, [await serve(t, state)], keeper), HEIGHT);
  assert.equal(keeper.trusted, `${cut} ${toHex(script.committee(5).set.id)}`);
});

for (const [how, breaksOff] of [
  ['with words', false],
  ['without', true],
] as const)
  test(`a state of which one range is kept back, ${how}, is abandoned for another`, async (t) => {
    const held = new MemoryState('held', HEIGHT - 2);
    Object.assign(held, { withheld: 5, breaksOff });
    const right = new MemoryState('right');
    const keeper = new MemoryKeeper(right);
    keeper.earlier = [held];
    [keeper.begun] = held.offers();
    const servers = [await serve(t, held), await serve(t, right)];
    const { height } = await fetchByTurns(t, servers, keeper);
    assert.equal(height, HEIGHT);
    assert.equal(keeper.kept.size, RANGES);
    if (!breaksOff) assert.equal(new Set(held.asked).size, RANGES, 'it was asked for all');
    const times = held.asked.filter((index) => index === 5).length;
    assert.ok(times <= (breaksOff ? 20 : 3), `it was asked ${times} times for what it keeps back`);
  });

test('a begun state is not thrown away when every peer that has it breaks off once', async (t) => {
  const state = new MemoryState('begun', HEIGHT - 2);
  const range = state.range.bind(state);
  let failures = 0;
  state.range = async (manifestId, index) => {
    if (index !== 5 || failures > 1) return range(manifestId, index);
    failures++;
    throw new Error('broken off');
  };
  const right = new MemoryState('right');
  const keeper = new MemoryKeeper(right);
  keeper.earlier = [state];
  [keeper.begun] = state.offers();
  const servers = [await serve(t, state), await serve(t, state), await serve(t, right)];
  const { height } = await fetchByTurns(t, servers, keeper);
  assert.equal(height, HEIGHT - 2);
});

test('what was begun is not thrown away for a state that cannot be proven', async (t) => {
  const state = new MemoryState('begun');
  state.withheld = 5;
  const other = new MemoryState('other', HEIGHT + 1);
  const keeper = new MemoryKeeper(state);
  [keeper.begun] = state.offers();
  const servers = [await serve(t, state), await serve(t, other)];
  other.manifest = async () => {
    state.withheld = undefined;
    return undefined;
  };
  keeper.refusalOfCut = () => null;
  const { height } = await fetchByTurns(t, servers, keeper);
  assert.equal(height, HEIGHT);
  assert.equal(new Set(state.asked).size, RANGES);
  assert.ok(state.asked.length < RANGES + 4, 'nothing is fetched twice');
});

test('more peers that name a cut which does not follow do not keep a node from the state of the others', async (t) => {
  const right = new MemoryState('right');
  const servers = await Promise.all(
    [new MemoryState('false', 11), new MemoryState('false', 11), right].map((one) => serve(t, one)),
  );
  const keeper = new MemoryKeeper(right);
  const { height, network } = await fetchByTurns(t, servers, keeper);
  assert.equal(height, HEIGHT);
  assert.equal(keeper.refused.cuts, 2, 'each is heard once');
  assert.deepEqual(
    network.peers.list().filter(({ score }) => score < 0),
    [],
    'the trust may be too old: no peer is punished',
  );
});

test('a peer that shows a cut which its own set did not sign is punished', async (t) => {
  const right = new MemoryState('right');
  const liar = new MemoryApplication(script).adopt();
  const states = new MemoryState('false', 11);
  const certificate = script.cuts[3]?.certificate ?? assert.fail('there is no certificate');
  liar.lastCertificate = async (height) => ({ height, certificate });
  const servers = [await startNetwork(t, Object.assign(liar, { states })), await serve(t, right)];
  const keeper = new MemoryKeeper(right);
  const { height, network } = await fetchByTurns(t, servers, keeper);
  assert.equal(height, HEIGHT);
  assert.equal(keeper.refused.cuts, 0);
  assert.ok((network.peers.get(servers[0]?.peerId ?? '')?.score ?? 0) < 0);
});

test('a checkpoint is trusted also where the state begun before is abandoned', async (t) => {
  const right = new MemoryState('right');
  const keeper = new MemoryKeeper(right);
  const cut = script.cuts[3]?.id ?? '';
  keeper.checkpoint = { height: 4, cutId: cut };
  keeper.refusalOfCut = () => (keeper.trusted === undefined ? 'the trust has expired' : null);
  [keeper.begun] = new MemoryState('gone', HEIGHT - 2).offers();
  const { height } = await fetchByTurns(t, [await serve(t, right)], keeper);
  assert.equal(height, HEIGHT);
  assert.equal(keeper.trusted, `${cut} ${toHex(script.committee(5).set.id)}`);
});
