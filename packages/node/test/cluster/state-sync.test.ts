/**
 * A real process begins with a state from three nodes, one of which lies, and is killed on the way, and once more while
 * it fills in the cuts before that state.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StatusDocument } from 'svc-api';
import { temporaryDirectory, until } from 'svc-base/testing';
import { NetworkNode, packed } from '../../src/network/testing/network-node.ts';
import { ChainFixture } from '../../src/testing/chain-fixture.ts';
import { Cluster } from './testing/cluster.ts';
import { editSettings, hasChain, hasFetched, told } from './testing/state-servers.ts';
import { waited } from './testing/wait.ts';

const WAIT_MILLIS_MAX = 240_000;
const EVERY = 4;
const PACE_MILLIS = 1_000;

/** A server may have got a cut from the newcomer, which had it from another server. */
async function installAll(servers: readonly NetworkNode[], chain: ChainFixture): Promise<void> {
  for (const { chain: own } of servers) {
    while (own.head.height < chain.head.height) {
      const { type } = await own.install(await packed(chain, own.head.height + 1));
      assert.ok(type === 'installed' || type === 'known', type);
    }
  }
}

/** Holds the bodies of cuts before the state back; `asked` resolves once one of them was asked for. */
function holdPast(servers: readonly NetworkNode[]) {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  for (const { chain } of servers) {
    const open = chain.reader.bind(chain);
    chain.reader = () => {
      const reader = open();
      const cutBody = reader.cutBody.bind(reader);
      reader.cutBody = async (height) => {
        if (height < EVERY) {
          asked.resolve();
          await released.promise;
        }
        return cutBody(height);
      };
      return reader;
    };
  }
  return { asked: asked.promise, release: released.resolve };
}

test('a newcomer fetches a state from three nodes through a kill -9 and a liar, follows, and has the cuts before it after another', async (t) => {
  const chain = await ChainFixture.create({
    validators: 4,
    // The trust in the genesis of a development network lasts for five minutes.
    timeMillis: Date.now() - 10 * PACE_MILLIS,
    paceMillis: PACE_MILLIS,
  });
  t.after(() => chain.close());
  for (let cut = 0; cut < EVERY; cut++) await chain.cut();
  const servers: NetworkNode[] = [];
  for (let index = 0; index < 3; index++)
    servers.push(
      await NetworkNode.start(t, chain.genesis, [], temporaryDirectory(), 'full', EVERY),
    );
  await installAll(servers, chain);
  await until(
    () => servers.every(({ states }) => states.offers().length === 1),
    'all nodes to keep the state',
  );

  const held = Promise.withResolvers<void>();
  for (const [index, { states }] of servers.entries()) {
    const range = states.range.bind(states);
    states.range = async (manifestId, at) => {
      if (at > 1) await held.promise;
      const bytes = await range(manifestId, at);
      if (index > 0 || bytes === undefined) return bytes;
      return new Uint8Array(bytes.length);
    };
  }
  const cluster = await Cluster.make({
    paceMillis: PACE_MILLIS,
    genesis: chain.genesis,
    nodes: [{ name: 'newcomer' }],
  });
  t.after(() => cluster.close());
  const newcomer = cluster.node('newcomer');
  editSettings(newcomer.planned.directory, (settings) => {
    settings['sync'] = { state: true };
    const bootstrap = servers.map(({ address }) => address);
    settings['peers'] = { ...settings['peers'], bootstrap };
  });

  newcomer.launch();
  await waited(
    async () => {
      newcomer.expectAlive();
      return hasFetched(newcomer) ? true : undefined;
    },
    'the first range',
    WAIT_MILLIS_MAX,
  );
  await newcomer.kill();
  assert.ok(!hasChain(newcomer), 'it was killed on the way');
  const past = holdPast(servers);
  held.resolve();
  await newcomer.start();
  const [begun] = told(newcomer, 'fetching a state');
  assert.ok(begun !== undefined && Number(begun['left']) < Number(begun['ranges']));
  // The liar's own count would have requests in it that the killed process left behind.
  const lies = told(newcomer, 'peer sent something wrong');
  assert.ok(
    lies.length <= 2,
    `${lies.length} lies were read; two come if both are asked for at once`,
  );

  await past.asked;
  await newcomer.kill();
  past.release();
  await newcomer.start();

  for (let cut = 0; cut < 2; cut++) await chain.cut();
  await installAll(servers, chain);
  const { height, stateRoot } = chain.head;
  await newcomer.reach(height, WAIT_MILLIS_MAX);
  assert.equal((await newcomer.cutAt(height)).state_root, stateRoot);

  const { found: history } = await waited(
    async () => {
      newcomer.expectAlive();
      const found = (await newcomer.get<StatusDocument>('/v1/node/status')).history;
      return found?.cuts_left === 0 && found.ids_left === 0 ? found : undefined;
    },
    'the cuts before the state',
    WAIT_MILLIS_MAX,
  );
  assert.deepEqual(history, {
    cuts_from: 1,
    blocks_from: 1,
    indexed_from: EVERY + 1,
    cuts_left: 0,
    ids_left: 0,
  });
  for (let at = 1; at < EVERY; at++)
    assert.equal((await newcomer.cutAt(at)).cut_id, chain.cuts[at - 1]?.cutId);
});
