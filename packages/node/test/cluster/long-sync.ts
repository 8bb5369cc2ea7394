/**
 * A newcomer syncs a long chain from two nodes, and another is killed on the way:
 * `node tools/bootstrap.mjs packages/node/test/cluster/long-sync.ts [cuts] [payments a cut] [kills]`. The chain is
 * made here and now, with real payments and certificates; only proof of work is left out of it. With
 * `SVC_PROFILE=<folder>` nodes leave profiles of their processor time there.
 */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { mlDsa65 } from 'svc-wasm/kernel';
import { Cluster } from './testing/cluster.ts';
import type { ClusterNode } from './testing/cluster-node.ts';
import { makeLongChain } from './testing/long-chain.ts';
import { peakMegabytesOf, processorSecondsOf } from './testing/usage.ts';
import { pause } from './testing/wait.ts';

const [cuts = 500, payments = 5, kills = 5] = process.argv.slice(2).map(Number);
const LOOK_MILLIS = 200;
const TELL_MILLIS = 5_000;
/** A sync that gets nowhere for so long has failed. */
const STUCK_MILLIS = 60_000;
const MEMORY = '/dev/shm';
const SAMPLES = 400;
/** As a node has it that is told nothing. */
const CACHE_MEGABYTES = 256;

function say(text: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`);
}

/** Signatures that one processor checks in a second, and nothing else. */
function rawRate(): number {
  const { publicKey, secretKey } = mlDsa65.keygen(new Uint8Array(32).fill(7));
  const message = new Uint8Array(48);
  const signature = mlDsa65.sign(secretKey, message);
  const began = performance.now();
  for (let sample = 0; sample < SAMPLES; sample++)
    assert.ok(mlDsa65.verify(publicKey, message, signature));
  return (1_000 * SAMPLES) / (performance.now() - began);
}

interface SyncFacts {
  /** From the first new cut that was seen to the last. */
  readonly seconds: number;
  readonly cuts: number;
  /** Processor seconds of the watched processes between the same two moments: what starting costs is not in it. */
  readonly processor: readonly number[];
}

/** Runs a node until a height is reached, and watches what the node and others use meanwhile. */
async function syncTo(
  node: ClusterNode,
  height: number,
  others: readonly ClusterNode[] = [],
): Promise<SyncFacts> {
  await node.start();
  const used = (): number[] =>
    [node, ...others].map(({ processId }) => processorSecondsOf(processId));
  const from = await node.height();
  let usedBefore = used();
  let begun = 0;
  let first = from;
  let told = performance.now();
  let last = { height: from, at: performance.now() };
  for (;;) {
    node.expectAlive();
    const now = await node.height();
    const at = performance.now();
    if (begun === 0 && now > from) [begun, first, usedBefore] = [at, now, used()];
    if (now > last.height) last = { height: now, at };
    if (now >= height) {
      const processor = used().map((seconds, place) => seconds - (usedBefore[place] ?? 0));
      return { seconds: (at - begun) / 1_000, cuts: now - first, processor };
    }
    if (at > last.at + STUCK_MILLIS) throw new Error(`${node.name} is stuck at ${now}`);
    if (at > told + TELL_MILLIS) {
      told = at;
      say(`${node.name} is at ${now}, ${Math.round(peakMegabytesOf(node.processId))} MB at most`);
    }
    await pause(LOOK_MILLIS);
  }
}

const folder = existsSync(MEMORY) ? MEMORY : tmpdir();
const directory = mkdtempSync(join(folder, 'svc-long-chain-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const started = performance.now();
const chain = await makeLongChain({
  directory,
  cuts,
  payments,
  onProgress: (height) => say(`made ${height} of ${cuts} cuts`),
});
const made = (performance.now() - started) / 1_000;
say(`made ${cuts} cuts with ${cuts * payments} payments in ${made.toFixed(1)} s`);
const { stateRoot } = chain.cuts.at(-1)?.header ?? assert.fail('there is no cut');
const root = Buffer.from(stateRoot).toString('hex');
const raw = rawRate();
const cluster = await Cluster.make({
  paceMillis: chain.genesis.paceMillis,
  genesis: chain.genesis,
  nodes: [
    { name: 'one', storage: 'archive' },
    { name: 'two', storage: 'archive', bootstrap: ['one'] },
    { name: 'steady', bootstrap: ['one', 'two'], cacheMegabytes: CACHE_MEGABYTES },
    { name: 'killed', bootstrap: ['one', 'two'], cacheMegabytes: CACHE_MEGABYTES },
  ],
});
try {
  const node = (name: string): ClusterNode => cluster.node(name);
  const [one, two, steady, killed] = [node('one'), node('two'), node('steady'), node('killed')];
  for (const { planned } of [one, two])
    cpSync(directory, join(planned.directory, 'data', 'chain', 'db'), { recursive: true });
  const profile = process.env['SVC_PROFILE'];
  if (profile !== undefined) process.env['NODE_OPTIONS'] = `--cpu-prof --cpu-prof-dir=${profile}`;
  await cluster.start([one, two]);
  const sync = await syncTo(steady, cuts, [one, two]);
  const [perSecond, paid] = [sync.cuts / sync.seconds, (sync.cuts * payments) / sync.seconds];
  const share = (100 * paid) / raw;
  say(
    `synced ${sync.cuts} cuts in ${sync.seconds.toFixed(1)} s: ${perSecond.toFixed(1)} cuts/s, ${paid.toFixed(1)} payments/s`,
  );
  say(
    `one of ${availableParallelism()} processors checks ${raw.toFixed(0)} signatures/s and does nothing else: ${share.toFixed(1)} % of that`,
  );
  const [own = 0, ...served] = sync.processor.map((seconds) => (1_000 * seconds) / sync.cuts);
  say(
    `a cut took ${own.toFixed(2)} ms of the newcomer's processor and ${served.map((millis) => millis.toFixed(2)).join(' and ')} ms of its servers'; the newcomer had at most ${Math.round(peakMegabytesOf(steady.processId))} MB, and used ${processorSecondsOf(steady.processId).toFixed(1)} s with its start`,
  );
  assert.equal((await steady.cutAt(cuts)).state_root, root);
  await steady.stop();

  for (let kill = 1; kill <= kills; kill++) {
    const target = Math.floor((cuts * kill) / (kills + 1));
    await syncTo(killed, target);
    await killed.kill();
    say(`killed above ${target}`);
  }
  await syncTo(killed, cuts);
  assert.equal((await killed.cutAt(cuts)).state_root, root);
  say(`resumed ${kills} times, with the same state in the end`);
  if (profile !== undefined) for (const server of [one, two]) await server.stop();
} finally {
  await cluster.close();
}
