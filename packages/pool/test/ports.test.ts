/**
 * The ports and names that the specification fixes, as the programs have them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { Statistics, serverMetrics, WorkSource } from 'svc-mining/server';
import { DEFAULTS as BRIDGE } from '../../bridge/src/options.ts';
import { METRICS_PORT as MINER_METRICS, STATS_PORT } from '../../miner/src/cli/options.ts';
import { MINER_METRICS as MINER_NAMES } from '../../miner/src/program/miner-metrics.ts';
import { parseConfig, Settings } from '../../node/src/config/layers.ts';
import { resolveConfig } from '../../node/src/config/resolve.ts';
import { NodeMetrics } from '../../node/src/metrics/node-metrics.ts';

const NODE_METRICS = [
  'svc_node_info{version="1.2.3",network="testnet"}',
  'svc_node_uptime_seconds',
  'svc_node_finalized_height',
  'svc_node_synced',
  'svc_node_peers',
  'svc_node_best_peer_height',
  'svc_node_cuts_total',
  'svc_node_registered_blocks_total',
  'svc_node_executed_blocks_total',
  'svc_node_paid_rewards_total',
  'svc_node_submissions_total{kind=',
  'svc_node_mempool_transactions',
  'svc_node_work_pool_blocks',
  'svc_node_p2p_received_bytes_total',
  'svc_node_p2p_sent_bytes_total',
  'svc_node_p2p_queued_cuts',
  'svc_node_p2p_queued_blocks',
  'svc_node_cut_step_seconds',
] as const;

/** What a node with this configuration file does. */
function configOf(file: string) {
  const settings = new Settings([parseConfig(file, 'node.json')]);
  return resolveConfig(settings, { directory: '/srv/node', home: '/nonexistent' }).config;
}

test('[LIMIT-28] every program has the ports of the specification, and metrics under the prefix of its name', () => {
  assert.equal(configOf('{"metrics": {"bind": "127.0.0.1"}}').metrics.bind?.port, 28_790);
  assert.deepEqual([STATS_PORT, MINER_METRICS], [28_770, 28_793]);
  assert.deepEqual([BRIDGE.stats, BRIDGE.metrics], ['127.0.0.1:28771', '127.0.0.1:28792']);
  assert.match(configOf('{}').validatorOverlay.listen[0] ?? '', /\/28704$/);
  assert.match(configOf('{"network": "testnet"}').validatorOverlay.listen[0] ?? '', /\/28709$/);
  const node = new NodeMetrics({ version: '1.2.3', network: 'testnet' }).text();
  for (const name of NODE_METRICS)
    assert.ok(new RegExp(`^${name.replace('{', '\\{')}`, 'm').test(node), name);
  assert.match(node, /^svc_node_submissions_total\{kind="\w+",result="\w+"\} 0$/m);
  assert.match(node, /^svc_node_cut_step_seconds\w*\{.*step="/m);
  for (const { name } of MINER_NAMES) assert.match(name, /^svc_miner_/);
  // Bridge and pool write one list of metrics under their own prefix.
  const clock = SYSTEM_CLOCK;
  const server = { connections: 0, addresses: 0, jobs: 0, bans: { total: 0, active: 0 } };
  const source = new WorkSource({ clock, log: SILENT_LOG }, { nodes: [] });
  const ports = { server, source, statistics: new Statistics(clock), clock };
  for (const prefix of ['svc_bridge_', 'svc_pool_'])
    for (const { name } of serverMetrics(ports, { prefix, release: '1', network: 'testnet' }))
      assert.ok(name.startsWith(prefix), name);
});
