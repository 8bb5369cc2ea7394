/**
 * A newcomer syncs a long chain from two nodes, and is killed on the way:
 * `node tools/bootstrap.mjs packages/node/test/cluster/long-sync.ts [cuts] [payments a cut] [kills]`. The chain is
 * made here and now, with real payments and certificates; only proof of work is left out of it.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LevelStore } from 'svc-storage';
import { ChainFixture } from '../../src/testing/chain-fixture.ts';
import { Cluster } from './kit/cluster.ts';
import type { ClusterNode } from './kit/cluster-node.ts';
import { pause } from './kit/wait.ts';

const [cuts = 500, payments = 5, kills = 5] = process.argv.slice(2).map(Number);
const ACCOUNTS = 10;
const AMOUNT = 1_000n;
const LOOK_MILLIS = 200;

function say(text: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`);
}

/** Half of the accounts pay in each cut, so that what they spend is executed when it is their turn again. */
async function makeChain(directory: string): Promise<ChainFixture> {
  const keyValues = await LevelStore.open(directory);
  const chain = await ChainFixture.create({ keyValues, mode: 'archive' });
  for (let height = 1; height <= cuts; height++) {
    const wires: Uint8Array[] = [];
    for (let payment = 0; payment < payments; payment++) {
      const from = (height % 2) * (ACCOUNTS / 2) + (payment % (ACCOUNTS / 2));
      wires.push(await chain.pay(from, chain.address((from + 1) % ACCOUNTS), AMOUNT));
    }
    await chain.cut(wires.length === 0 ? [] : [chain.mine(wires)]);
  }
  await chain.close();
  return chain;
}

interface Usage {
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
}

function usageOf(node: ClusterNode): Usage {
  const stat = readFileSync(`/proc/${node.processId}/stat`, 'utf8').split(' ');
  const status = readFileSync(`/proc/${node.processId}/status`, 'utf8');
  const peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
  return { cpuSeconds: (Number(stat[13]) + Number(stat[14])) / 100, peakMegabytes: peak / 1_024 };
}

/** Runs until a height is reached; the seconds between the first new cut and that. */
async function syncTo(node: ClusterNode, height: number): Promise<number> {
  await node.start();
  const from = await node.height();
  let begun = 0;
  for (;;) {
    node.expectAlive();
    const now = await node.height();
    if (begun === 0 && now > from) begun = performance.now();
    if (now >= height) return (performance.now() - begun) / 1_000;
    await pause(LOOK_MILLIS);
  }
}

const directory = mkdtempSync(join(tmpdir(), 'svc-long-chain-'));
const started = performance.now();
const chain = await makeChain(directory);
const made = ((performance.now() - started) / 1_000).toFixed(1);
say(`made ${cuts} cuts with ${cuts * payments} payments in ${made} s`);
const { stateRoot } = chain.cuts.at(-1)?.header ?? assert.fail('there is no cut');
const root = Buffer.from(stateRoot).toString('hex');
const cluster = await Cluster.make({
  paceMillis: chain.genesis.paceMillis,
  genesis: chain.genesis,
  nodes: [
    { name: 'one', storage: 'archive' },
    { name: 'two', storage: 'archive', bootstrap: ['one'] },
    { name: 'steady', bootstrap: ['one', 'two'] },
    { name: 'killed', bootstrap: ['one', 'two'] },
  ],
});
try {
  const [one, two, steady, killed] = ['one', 'two', 'steady', 'killed'].map((name) =>
    cluster.node(name),
  ) as [ClusterNode, ClusterNode, ClusterNode, ClusterNode];
  for (const { planned } of [one, two])
    cpSync(directory, join(planned.directory, 'data', 'chain', 'db'), { recursive: true });
  await cluster.start([one, two]);

  const seconds = await syncTo(steady, cuts);
  const { cpuSeconds, peakMegabytes } = usageOf(steady);
  const rates = `${(cuts / seconds).toFixed(1)} cuts/s, ${((cuts * payments) / seconds).toFixed(1)} payments/s`;
  say(
    `synced in ${seconds.toFixed(1)} s: ${rates}, ${cpuSeconds} s of processor, at most ${Math.round(peakMegabytes)} MB`,
  );
  assert.equal((await steady.cutAt(cuts)).state_root, root);

  for (let kill = 1; kill <= kills; kill++) {
    const target = Math.floor((cuts * kill) / (kills + 1));
    await syncTo(killed, target);
    await killed.kill();
    say(`killed above ${target}`);
  }
  await syncTo(killed, cuts);
  assert.equal((await killed.cutAt(cuts)).state_root, root);
  say(`resumed ${kills} times, with the same state in the end`);
} finally {
  await cluster.close();
  rmSync(directory, { recursive: true });
}
