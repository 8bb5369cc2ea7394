/**
 * Two validators that know one address between them, and somebody who comes later: all from nothing but a genesis.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from './kit/cluster.ts';

test('two nodes with empty data find each other through one bootstrap address, and a newcomer follows', async (t) => {
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
  await cluster.connected(first, 1, 20_000);
  await cluster.advance(3, 30_000);

  const newcomer = await cluster.add({
    name: 'newcomer',
    storage: 'archive',
    bootstrap: ['second'],
  });
  await newcomer.start();
  await cluster.advance(3, 30_000);
  await cluster.connected(newcomer, 2, 20_000);
  assert.ok((await cluster.agree()) > 3);

  await first.kill();
  const stuck = await cluster.tip([second, newcomer]);
  await first.start();
  await cluster.advance(3, 30_000);
  assert.ok((await cluster.agree()) > stuck);
  for (const node of cluster.all) assert.equal(await node.stop(), 0, node.stderr);
});
