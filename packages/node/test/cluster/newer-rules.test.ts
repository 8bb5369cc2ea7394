/**
 * A network that goes on under rules that this release does not know, seen by a real process of this release that
 * is a validator there.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeSignState } from 'svc-consensus/machine';
import { toHex } from 'svc-wasm/base';
import { ChainFixture } from '../../src/testing/chain-fixture.ts';
import { Cluster } from './testing/cluster.ts';
import type { ClusterNode } from './testing/cluster-node.ts';
import { NEWER_PROTOCOL, startNewerPeer } from './testing/newer-network.ts';
import { pause, waited } from './testing/wait.ts';

const KNOWN_CUTS = 3;
const WAIT_MILLIS_MAX = 120_000;

interface Status {
  readonly finalized_height: number;
  readonly synced: boolean;
  readonly update_required: boolean;
  readonly update_announced: boolean;
  readonly validator: { readonly last_signed_height: number | null } | null;
}

function status(node: ClusterNode): Promise<Status> {
  return node.get<Status>('/v1/node/status');
}

function logged(node: ClusterNode, text: string): number {
  return node.stderr.split('\n').filter((line) => line.includes(`"${text}: `)).length;
}

test('[VER-06] [NSOCK-29] newer peers are a hint; unknown rules in a certified cut stop the node, its miners and its validator', async (t) => {
  const chain = await ChainFixture.create({
    validators: 4,
    timeMillis: Date.now() - 60_000,
    protocolVersion: (height) => (height > KNOWN_CUTS ? NEWER_PROTOCOL : 1),
  });
  t.after(() => chain.close());
  await chain.runTo(KNOWN_CUTS);
  const cluster = await Cluster.make({
    paceMillis: chain.genesis.paceMillis,
    genesis: chain.genesis,
    nodes: [{ name: 'newer' }, { name: 'old', validator: 'unrouted', bootstrap: ['newer'] }],
  });
  t.after(() => cluster.close());
  const newer = await startNewerPeer(chain, cluster.node('newer').planned);
  t.after(() => newer.close());
  const old = cluster.node('old');
  await old.start();
  const hint = async () => ((await old.height()) === KNOWN_CUTS ? await status(old) : undefined);
  const { found: before } = await waited(hint, 'the known cuts', WAIT_MILLIS_MAX);
  assert.deepEqual([before.update_announced, before.update_required], [true, false]);
  assert.deepEqual([logged(old, 'update_announced'), logged(old, 'update_required')], [1, 0]);

  await chain.runTo(KNOWN_CUTS + 3);
  const stopped = async () => ((await status(old)).update_required ? true : undefined);
  await waited(stopped, 'the stop', WAIT_MILLIS_MAX);
  await chain.runTo(KNOWN_CUTS + 6);
  await pause(1_500);
  const { finalized_height: height, synced, validator } = await status(old);
  assert.deepEqual([height, synced], [KNOWN_CUTS, false]);
  assert.equal(validator?.last_signed_height, null);
  assert.deepEqual([logged(old, 'update_announced'), logged(old, 'update_required')], [1, 1]);

  const payout = chain.text(0);
  const template = await fetch(`${old.mining}/v1/mining/templates`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ payout, max_transactions: 1 }),
  });
  assert.equal(template.status, 503, 'no work is given out');
  const wire = await chain.pay(0, chain.address(1), 5_000n);
  const submitted = await old.post<{ error?: { code: string } }>('/v1/transactions', {
    wire_hex: toHex(wire),
  });
  assert.equal(submitted.error?.code, 'not_synced');
  const record = join(old.planned.directory, 'data', 'validator', 'own', 'sign-state');
  assert.ok(existsSync(record));
  assert.equal(decodeSignState(readFileSync(record))?.last, undefined, 'nothing is signed');
  assert.equal(await old.stop(), 0, old.stderr);
});
