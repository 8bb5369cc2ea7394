/**
 * Four validators, one of them without a route, a full and a pruned node, a miner and payments: one validator is
 * killed, another paused, and all have the same state in the end.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from './testing/cluster.ts';
import { ClusterMiner } from './testing/miner.ts';
import { Payer } from './testing/payer.ts';
import { pause } from './testing/wait.ts';

const PACE_MILLIS = 1_000;
const WAIT_MILLIS_MAX = 120_000;
const PAUSE_MILLIS = 3_000;

test('a cluster of processes goes on through kill -9 and a pause, and all states are equal', async (t) => {
  const bootstrap = ['a'];
  const cluster = await Cluster.make({
    paceMillis: PACE_MILLIS,
    nodes: [
      { name: 'a', validator: 'routed' },
      { name: 'b', validator: 'routed', bootstrap },
      { name: 'c', validator: 'routed', bootstrap },
      { name: 'd', validator: 'unrouted', bootstrap },
      { name: 'full', storage: 'full', bootstrap: ['b'] },
      { name: 'pruned', storage: 'pruned', bootstrap: ['c'] },
    ],
  });
  t.after(() => cluster.close());
  await cluster.start();
  const full = cluster.node('full');
  const miner = new ClusterMiner({
    url: () => full.mining,
    chainId: cluster.network.chainId,
    payout: cluster.network.keys.accounts[9]?.text as string,
    paceMillis: PACE_MILLIS,
  });
  t.after(() => miner.close());
  miner.start();
  await cluster.advance(2, WAIT_MILLIS_MAX);
  const payer = new Payer(cluster.network);
  assert.equal(await payer.round(full, [0, 1, 2]), 3);

  const [b, c] = [cluster.node('b'), cluster.node('c')];
  await b.kill();
  assert.equal(await payer.round(cluster.node('pruned'), [3, 4]), 2);
  await b.start();
  const afterKill = await cluster.advance(2, WAIT_MILLIS_MAX);

  c.signal('SIGSTOP');
  await pause(PAUSE_MILLIS);
  c.signal('SIGCONT');
  const afterPause = await cluster.advance(2, WAIT_MILLIS_MAX);
  t.diagnostic(
    `two cuts everywhere ${Math.round(afterKill)} ms after kill -9, ${Math.round(afterPause)} ms after a pause`,
  );

  assert.equal(await payer.round(b, [5, 6]), 2);
  await payer.settle(full, WAIT_MILLIS_MAX);
  await cluster.advance(1, WAIT_MILLIS_MAX);
  await cluster.agree();
  assert.equal(await payer.executed(cluster.node('d')), 7);
  assert.ok(miner.accepted > 0);
});
