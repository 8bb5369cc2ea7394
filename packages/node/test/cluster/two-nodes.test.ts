/**
 * Two validators that know one address between them, and somebody who comes later: all from nothing but a genesis.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CutCertificate, StakingValidator } from 'svc-api';
import { ATOMS_PER_COIN } from 'svc-ledger';
import { TestClient } from '../../../serve/test/sockets/testing/test-client.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { SettingPath } from '../../src/config/settings.ts';
import { Cluster } from './testing/cluster.ts';
import type { ClusterNode } from './testing/cluster-node.ts';
import { Payer } from './testing/payer.ts';

/** How long anything may take here, on a machine however busy. */
const WAIT_MILLIS_MAX = 240_000;
const SELF_BOND_MIN = 100_000n * ATOMS_PER_COIN;

/** What a node uses if it is told nothing but its network. */
function defaults(network: string) {
  const flags = new Map<SettingPath, string>([['network', network]]);
  const surroundings = { directory: '/nonexistent', home: '/nonexistent' };
  return loadConfig({ ...surroundings, flags, environment: {}, file: null }).config;
}

/** The node serves HTTP and sockets, installs what others built, and keeps payments until they are mined. */
async function expectNode(cluster: Cluster, node: ClusterNode): Promise<void> {
  const events = await TestClient.open(node.http, 'events');
  await events.expect('checkpoint');
  const finalized = await events.expect('cut_finalized');
  events.webSocket.close();
  const { height } = finalized['cut'] as { height: number };
  assert.equal((await node.cutAt(height)).height, height);
  const payer = new Payer(cluster.network);
  assert.equal(await payer.round(node, [0]), 1);
  const [id] = payer.ids;
  const { lifecycle } = await node.get<{ lifecycle: string }>(`/v1/transactions/${id}/status`);
  assert.equal(lifecycle, 'processing', 'it is in the mempool');
  assert.equal(await (await fetch(`${node.http}/health`)).text(), 'ok');
}

/** Both are on the chain with a bond, and both sign what they build. */
async function expectValidators(cluster: Cluster, nodes: readonly ClusterNode[]): Promise<void> {
  const [node] = nodes as [ClusterNode];
  for (const { planned } of nodes) {
    const id = cluster.network.validatorId(planned);
    const { validator } = await node.get<StakingValidator>(`/v1/staking/validators/${id}`);
    assert.ok(BigInt(validator.stake) >= SELF_BOND_MIN, validator.stake);
    assert.match(validator.self_bond, /^[0-9a-f]{96}$/);
    assert.equal(validator.committee, true);
  }
  const height = (await node.height()) - 1;
  const { signers } = await node.get<CutCertificate>(`/v1/cuts/${height}/certificate`);
  assert.deepEqual(signers, [0, 1]);
}

test('[SVC-02] [SVC-07] two nodes with empty data find each other through one bootstrap address, and a newcomer follows', async (t) => {
  assert.deepEqual(defaults('mainnet').http.bind, { host: '127.0.0.1', port: 28_701 });
  for (const [network, port] of [
    ['mainnet', 28_704],
    ['testnet', 28_709],
  ] as const)
    assert.deepEqual(defaults(network).validatorOverlay.listen, [
      `/ip4/0.0.0.0/tcp/${port}`,
      `/ip6/::/tcp/${port}`,
    ]);
  const cluster = await Cluster.make({
    paceMillis: 500,
    nodes: [
      { name: 'first', validator: 'routed' },
      { name: 'second', validator: 'routed', bootstrap: ['first'] },
    ],
  });
  t.after(() => cluster.close());
  await cluster.start();
  const [first, second] = [cluster.node('first'), cluster.node('second')];
  await cluster.connected(first, 1, WAIT_MILLIS_MAX);
  await cluster.advance(3, WAIT_MILLIS_MAX);
  await expectValidators(cluster, [first, second]);

  const newcomer = await cluster.add({
    name: 'newcomer',
    storage: 'archive',
    bootstrap: ['second'],
  });
  await newcomer.start();
  await cluster.advance(3, WAIT_MILLIS_MAX);
  await cluster.connected(newcomer, 2, WAIT_MILLIS_MAX);
  assert.ok((await cluster.agree()) > 3);
  await expectNode(cluster, newcomer);

  await first.kill();
  const stuck = await cluster.tip([second, newcomer]);
  await first.start();
  await cluster.advance(3, WAIT_MILLIS_MAX);
  assert.ok((await cluster.agree()) > stuck);
  for (const node of cluster.all) assert.equal(await node.stop(), 0, node.stderr);
});
