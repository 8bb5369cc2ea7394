/**
 * Heartbeats keep a validator in the committee, over epochs and through consensus.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { HeartbeatSender, ValidatorKey } from 'svc-consensus/shell';
import { DEVELOPMENT_MNEMONIC, livenessOf } from 'svc-ledger';
import { WalletRoot } from 'svc-wasm';
import { Cluster } from '../src/testing/cluster.ts';
import { TrustingMempool } from '../src/testing/cluster-mempool.ts';
import { HeartbeatChainPort } from '../src/validator/heartbeat-chain.ts';
import { HeartbeatFile } from '../src/validator/validator-disk.ts';

const MEMORY = '/dev/shm';
const INTERVAL = 12;

function senderFor(cluster: Cluster, mempool: TrustingMempool, place: number): HeartbeatSender {
  using root = WalletRoot.fromMnemonic(DEVELOPMENT_MNEMONIC, '', 'development');
  const node = cluster.node(place);
  return new HeartbeatSender({
    chain: new HeartbeatChainPort(node.chain),
    mempool,
    validatorId: node.validatorId,
    keys: () => [node.key],
    feeKey: ValidatorKey.fromSeed(root.exportSeed(0, 0, 5 + place)),
    maxFeeAtoms: 1_000_000n,
    feeRatePerMass: null,
    store: new HeartbeatFile(join(node.directory, 'validator')),
    log: SILENT_LOG,
    onFatal: (error) => cluster.fatal.push(error),
  });
}

test('[LIVE-01][LIVE-02] who sends heartbeats stays, who does not lapses and comes back with the next one', async (t) => {
  const root = existsSync(MEMORY) ? { root: MEMORY } : {};
  const options = { validators: 2, isShared: true, paceMillis: 50, interval: INTERVAL };
  const cluster = await Cluster.create({ ...root, ...options });
  t.after(() => cluster.end());
  await cluster.startAll();
  const { chain } = cluster.node(0);
  const mempool = new TrustingMempool(chain);
  const minings: Promise<unknown>[] = [];
  chain.finalized.on(() => {
    const wires = mempool.wires();
    if (wires.length > 0) minings.push(cluster.mine(wires, { to: [0] }));
  });
  const faithful = senderFor(cluster, mempool, 0);
  const ids = [0, 1].map((place) => cluster.node(place).validatorId) as [string, string];
  const seated = () =>
    chain.next.validators.validators.map(({ publicKey }) =>
      [0, 1].find((place) => Buffer.compare(cluster.key(place).publicKey, publicKey) === 0),
    );
  await cluster.reach(3 * INTERVAL, [0]);
  assert.deepEqual(seated(), [0]);
  const lapsed = chain.view.get('validators', ids[1]);
  assert.equal(lapsed && livenessOf(lapsed, chain.next.epoch), 'lapsed');

  const late = senderFor(cluster, mempool, 1);
  await cluster.reach(4 * INTERVAL + 2, [0]);
  assert.deepEqual(seated().sort(), [0, 1]);
  const kept = chain.view.get('validators', ids[0]);
  assert.ok(kept !== undefined && (kept.heartbeatEpoch ?? 0) >= 3);
  await Promise.all([faithful.close(), late.close(), ...minings]);
  assert.deepEqual(cluster.fatal, []);
});
