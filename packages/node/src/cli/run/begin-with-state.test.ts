import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { openFilesIn, temporaryDirectory, until } from 'svc-base/testing';
import type { Checkpoint } from 'svc-network';
import { StateFiles } from 'svc-storage/ranges';
import type { ValidatorSet } from 'svc-wasm/protocol';
import { ChainCore } from '../../chain/chain-core.ts';
import type { NodeConfig } from '../../config/node-config.ts';
import { type DevOptions, devConfig } from '../../dev/dev-config.ts';
import { NodeMetrics } from '../../metrics/node-metrics.ts';
import { FetchedState } from '../../network/fetched-state.ts';
import { NetworkNode, packed } from '../../network/testing/network-node.ts';
import { ChainFixture } from '../../testing/chain-fixture.ts';
import { type BeginContext, beginWithState } from './begin-with-state.ts';

const EVERY = 4;
const HEIGHT = 9;
const STATE_HEIGHT = 8;
const DEV_OPTIONS: DevOptions = {
  cutTime: 'manual',
  validators: 4,
  port: 0,
  stateDir: null,
  wallet: false,
  miner: false,
  browserOrigins: [],
};

function setOf(chain: ChainFixture, height: number): ValidatorSet {
  return chain.setAt(height) ?? assert.fail(`no set signs cut ${height}`);
}

async function install(node: NetworkNode, fixture: ChainFixture): Promise<void> {
  while (node.chain.head.height < fixture.head.height) {
    const { type } = await node.chain.install(await packed(fixture, node.chain.head.height + 1));
    assert.equal(type, 'installed');
    const { height } = node.chain.head;
    if (height % EVERY === 0)
      await until(
        () => node.states.offers().some((offer) => offer.height === height),
        `the state of cut ${height}`,
      );
  }
}

describe('a node that begins with a state', () => {
  let fixture: ChainFixture;
  const servers: NetworkNode[] = [];
  const ends: (() => void | Promise<void>)[] = [];
  const metrics = new NodeMetrics({ version: '0', network: 'development' });

  function levelOf(name: string): number {
    const [, level] = new RegExp(`^${name} (\\d+)$`, 'm').exec(metrics.text()) ?? [];
    return Number(level);
  }

  function contextOf(stopping = new AbortController().signal): BeginContext {
    const { genesis, chainId } = fixture;
    const clock = { now: () => genesis.timeMillis + 60_000 };
    return { genesis, chainId, version: '0.0.0', log: SILENT_LOG, metrics, stopping, clock };
  }

  function configOf(directory: string, trust: NodeConfig['sync']['trust'] = null): NodeConfig {
    const config = devConfig(directory, { http: 0, mining: 0 }, DEV_OPTIONS);
    return {
      ...config,
      dataDir: directory,
      storage: { ...config.storage, mode: 'full', stateEveryCuts: EVERY },
      peers: {
        ...config.peers,
        listenHosts: ['127.0.0.1'],
        bootstrap: servers.map(({ address }) => address),
        inboundMax: 8,
        outboundMax: 4,
      },
      sync: { state: true, trust },
    };
  }

  async function expectFollows(directory: string): Promise<void> {
    const chain = await ChainCore.open({
      directory: join(directory, 'chain'),
      genesis: fixture.genesis,
      mode: 'full',
      clock: SYSTEM_CLOCK,
      log: SILENT_LOG,
      onFatal: (error) => assert.fail(String(error)),
    });
    try {
      assert.equal(chain.head.height, STATE_HEIGHT);
      for (let height = STATE_HEIGHT + 1; height <= HEIGHT; height++)
        assert.equal((await chain.install(await packed(fixture, height))).type, 'installed');
      assert.deepEqual(chain.head, fixture.head);
    } finally {
      await chain.close();
    }
  }

  before(async () => {
    fixture = await ChainFixture.create({ validators: 4, paceMillis: 1_000 });
    for (let account = 0; fixture.head.height < HEIGHT; account = (account + 1) % 5) {
      const wire = await fixture.pay(account, fixture.address(7), 5_000n);
      await fixture.cut([fixture.mine([wire])]);
    }
    const t = { after: (end: () => void | Promise<void>) => void ends.push(end) };
    for (let index = 0; index < 2; index++) {
      const directory = temporaryDirectory();
      const node = await NetworkNode.start(t, fixture.genesis, [], directory, 'full', EVERY);
      servers.push(node);
      await install(node, fixture);
    }
  });

  after(async () => {
    for (const end of ends) await end();
    await fixture.close();
  });

  test('keeps two states that are the same at every node', () => {
    const [first, second] = servers.map(({ states }) => states.offers());
    assert.deepEqual(first, second);
    assert.deepEqual(
      first?.map(({ height }) => height),
      [8, 4],
    );
  });

  test('has the chain of its peers, goes on with it, and keeps the state for others', async (t) => {
    const directory = temporaryDirectory(t);
    const config = configOf(directory);
    assert.equal(await beginWithState(config, contextOf()), true);
    assert.ok(!existsSync(join(directory, 'state-sync')));
    assert.ok(levelOf('svc_node_state_sync_ranges') > 0);
    assert.equal(levelOf('svc_node_state_sync_ranges_left'), 0);
    assert.ok(levelOf('svc_node_state_sync_bytes_total') > 0);
    assert.equal(levelOf('svc_node_state_sync_refused_total'), 0);
    assert.deepEqual(readdirSync(join(directory, 'states')), [String(STATE_HEIGHT)]);
    await expectFollows(directory);
    assert.equal(await beginWithState(config, contextOf()), true, 'it is not fetched again');
    await expectReopened(directory);
  });

  async function expectReopened(directory: string): Promise<void> {
    const files = await StateFiles.open(join(directory, 'states', String(STATE_HEIGHT)));
    assert.deepEqual(await files?.missing(), []);
    await files?.close();
  }

  test('goes on where it was killed, also in the middle of putting the state in its place', async (t) => {
    const directory = temporaryDirectory(t);
    const place = join(directory, 'state-sync');
    const [offer] = servers[0]?.states.offers() ?? [];
    const states = servers[0]?.states;
    assert.ok(offer !== undefined && states !== undefined);
    const manifest = await states.manifest(offer.manifestId);
    const cut = fixture.cuts[STATE_HEIGHT - 1];
    assert.ok(manifest !== undefined && cut?.certificate !== null && cut !== undefined);
    const state = await fetchedState(join(place, 'fetched'));
    const set = setOf(fixture, STATE_HEIGHT);
    const certified = { header: cut.headerBytes, certificate: cut.certificate, set };
    assert.equal(await state.begin(certified, manifest), null);
    assert.equal(await state.put(0, (await states.range(offer.manifestId, 0)) ?? manifest), null);
    await state.close();
    mkdirSync(join(place, 'chain', 'db'), { recursive: true });
    const again = await fetchedState(join(place, 'fetched'));
    assert.deepEqual(again.begun, offer);
    assert.ok(!(await again.missing()).includes(0));
    await again.close();
    assert.equal(await beginWithState(configOf(directory), contextOf()), true);
    await expectFollows(directory);
  });

  test('trusts a cut that the operator names, and starts where the state cannot be kept for others', async (t) => {
    const directory = temporaryDirectory(t);
    const trust = { height: 5, cutId: fixture.cuts[4]?.cutId ?? '' };
    writeFileSync(join(directory, 'states'), 'no folder');
    assert.equal(await beginWithState(configOf(directory, trust), contextOf()), true);
    await expectFollows(directory);
  });

  test('stops in order while it waits for peers', async (t) => {
    const directory = temporaryDirectory(t);
    const stopping = new AbortController();
    const config = configOf(directory);
    const alone = { ...config, peers: { ...config.peers, bootstrap: [] } };
    const beginning = beginWithState(alone, contextOf(stopping.signal));
    stopping.abort();
    assert.equal(await beginning, false);
    assert.ok(!existsSync(join(directory, 'chain')));
    rmSync(directory, { recursive: true, force: true });
  });

  test('refuses a cut that strangers signed, a trust that has expired, and a manifest of another cut', async (t) => {
    const directory = join(temporaryDirectory(t), 'fetched');
    const cut = fixture.cuts[STATE_HEIGHT - 1];
    assert.ok(cut?.certificate !== null && cut !== undefined);
    const set = setOf(fixture, STATE_HEIGHT);
    const certified = { header: cut.headerBytes, certificate: cut.certificate, set };
    const state = await fetchedState(directory);
    assert.equal(state.refusalOfCut(certified), null);
    const turned = cut.certificate.slice();
    turned[turned.length - 9] = (turned.at(-9) ?? 0) ^ 1;
    assert.match(state.refusalOfCut({ ...certified, certificate: turned }) ?? '', /--trust/);
    const late = await fetchedState(directory, undefined, 10 * 365 * 86_400_000);
    assert.match(late.refusalOfCut(certified) ?? '', /trusting period ended/);
    const [, older] = servers[0]?.states.offers() ?? [];
    const manifest = await servers[0]?.states.manifest(older?.manifestId ?? '');
    assert.ok(manifest !== undefined);
    assert.match((await state.begin(certified, manifest)) ?? '', /another cut/);
    assert.equal(state.begun, undefined);
    const other = await ChainFixture.create({ validators: 3 });
    const strangers = { ...certified, set: setOf(other, 1) };
    assert.notEqual(state.refusalOfCut(strangers), null);
    await other.close();
  });

  test('begins anew where another cut is trusted than before, or where a file is gone', async (t) => {
    const directory = join(temporaryDirectory(t), 'fetched');
    const [offer] = servers[0]?.states.offers() ?? [];
    const manifest = await servers[0]?.states.manifest(offer?.manifestId ?? '');
    const cut = fixture.cuts[STATE_HEIGHT - 1];
    assert.ok(manifest !== undefined && cut?.certificate !== null && cut !== undefined);
    const set = setOf(fixture, STATE_HEIGHT);
    const certified = { header: cut.headerBytes, certificate: cut.certificate, set };
    const wrong = { height: 4, cutId: 'ab'.repeat(48) };
    const begin = async (trusted?: Checkpoint): Promise<void> => {
      const state = await fetchedState(directory, trusted);
      assert.equal(await state.begin(certified, manifest), null);
      await state.close();
    };
    const begunHeight = async (trusted?: Checkpoint): Promise<number | undefined> => {
      const state = await fetchedState(directory, trusted);
      const height = state.begun?.height;
      await state.close();
      return height;
    };
    await begin(wrong);
    assert.equal(await begunHeight(wrong), STATE_HEIGHT);
    assert.equal(await begunHeight({ ...wrong, cutId: 'cd'.repeat(48) }), undefined);
    await begin(wrong);
    assert.equal(await begunHeight(), undefined, 'the genesis is trusted');
    for (const name of ['cut', 'trust', 'manifest', 'ranges']) {
      await begin();
      rmSync(join(directory, name));
      assert.equal(await begunHeight(), undefined, name);
    }
    assert.deepEqual(openFilesIn(join(directory, '..')), []);
  });

  function fetchedState(
    directory: string,
    checkpoint?: Checkpoint,
    afterMillis = 60_000,
  ): Promise<FetchedState> {
    const { chainId } = fixture.manifest;
    return FetchedState.open({
      directory,
      trust: {
        network: 'development',
        chainId,
        height: 0n,
        time: BigInt(fixture.genesis.timeMillis),
        cutId: chainId,
        encodedSet: setOf(fixture, 1).encoded,
      },
      checkpoint,
      recoveries: [],
      clock: { now: () => fixture.genesis.timeMillis + afterMillis },
    });
  }
});
