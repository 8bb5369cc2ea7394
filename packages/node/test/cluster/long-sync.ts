/**
 * A newcomer syncs a long chain from two nodes, and another is killed on the way:
 * `node tools/bootstrap.mjs packages/node/test/cluster/long-sync.ts [cuts] [payments a cut] [kills] [keys]`. The chain is
 * made here and now, with real payments and certificates; only proof of work is left out of it. Payments show their keys
 * as wallets do (`known`), in full each time (`in-full`), or have each a key of their own (`new`). It tells what the
 * newcomer's process alone has used, by thread, and how fast that would be if its servers were elsewhere. With
 * `SVC_CHAIN=<folder>` the chain is kept there for later runs, which must be told the same numbers; with
 * `SVC_PROFILE=<folder>` nodes leave profiles of their processor time there.
 */
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatGenesis, type Genesis, parseGenesis } from 'svc-ledger';
import { init } from 'svc-wasm';
import { mlDsa65 } from 'svc-wasm/kernel';
import { Cluster } from './testing/cluster.ts';
import type { ClusterNode } from './testing/cluster-node.ts';
import { makeLongChain } from './testing/long-chain.ts';
import type { PaymentKeys } from './testing/payment-maker.ts';
import { SyncMeter } from './testing/sync-meter.ts';
import { peakMegabytesOf, processorSecondsOf } from './testing/usage.ts';
import { pause } from './testing/wait.ts';

const [cuts = 500, payments = 5, kills = 5] = process.argv.slice(2, 5).map(Number);
const keys = keysOf(process.argv[5] ?? 'known');
const LOOK_MILLIS = 200;
const TELL_MILLIS = 5_000;
/** A sync that gets nowhere for so long has failed. */
const STUCK_MILLIS = 60_000;
const MEMORY = '/dev/shm';
const SAMPLES = 400;
/** As a node has it that is told nothing. */
const CACHE_MEGABYTES = 256;

function keysOf(text: string): PaymentKeys {
  if (text === 'known' || text === 'in-full' || text === 'new') return text;
  throw new Error(`keys: expected known, in-full or new, found ${text}`);
}

function say(text: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`);
}

/** Microseconds of a processor for one check of a signature, here and now: what else the machine does makes all figures larger. */
function microsPerSignature(): number {
  const { publicKey, secretKey } = mlDsa65.keygen(new Uint8Array(32).fill(7));
  const message = new Uint8Array(48);
  const signature = mlDsa65.sign(secretKey, message);
  const check = (): void => assert.ok(mlDsa65.verify(publicKey, message, signature));
  for (let sample = 0; sample < SAMPLES; sample++) check();
  const before = process.threadCpuUsage();
  for (let sample = 0; sample < SAMPLES; sample++) check();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / SAMPLES;
}

/** Runs a node until a height is reached, and measures it from the first new cut that is seen to the last. */
async function syncTo(node: ClusterNode, height: number): Promise<SyncMeter> {
  await node.start();
  const meter = new SyncMeter(node);
  const from = await node.height();
  let told = performance.now();
  let last = { height: from, at: performance.now() };
  for (;;) {
    node.expectAlive();
    const now = await node.height();
    const at = performance.now();
    if (now > last.height) {
      last = { height: now, at };
      meter.note(now);
    }
    if (now >= height) return meter;
    if (at > last.at + STUCK_MILLIS) throw new Error(`${node.name} is stuck at ${now}`);
    if (at > told + TELL_MILLIS) {
      told = at;
      say(`${node.name} is at ${now}, ${Math.round(peakMegabytesOf(node.processId))} MB at most`);
    }
    await pause(LOOK_MILLIS);
  }
}

/** Syncs a node that is killed again and again on its way. */
async function syncAndKill(node: ClusterNode, root: string): Promise<void> {
  for (let kill = 1; kill <= kills; kill++) {
    const target = Math.floor((cuts * kill) / (kills + 1));
    await syncTo(node, target);
    await node.kill();
    say(`killed above ${target}`);
  }
  await syncTo(node, cuts);
  assert.equal((await node.cutAt(cuts)).state_root, root);
  say(`resumed ${kills} times, with the same state in the end`);
}

/** Made now, or taken from the folder where an earlier run has kept it. */
async function longChain(folder: string): Promise<Genesis> {
  const document = join(folder, 'genesis.json');
  if (existsSync(document)) return parseGenesis(readFileSync(document, 'utf8'));
  const started = performance.now();
  const { genesis } = await makeLongChain({
    directory: join(folder, 'db'),
    cuts,
    payments,
    keys,
    onProgress: (height) => say(`made ${height} of ${cuts} cuts`),
  });
  const seconds = (performance.now() - started) / 1_000;
  say(`made ${cuts} cuts with ${cuts * payments} payments in ${seconds.toFixed(1)} s`);
  writeFileSync(document, formatGenesis(genesis));
  return genesis;
}

function temporaryFolder(): string {
  const made = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'svc-long-chain-'));
  process.on('exit', () => rmSync(made, { recursive: true, force: true }));
  return made;
}

const folder = process.env['SVC_CHAIN'] ?? temporaryFolder();
mkdirSync(folder, { recursive: true });
const genesis = await longChain(folder);
await init();
const cluster = await Cluster.make({
  paceMillis: genesis.paceMillis,
  genesis,
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
    cpSync(join(folder, 'db'), join(planned.directory, 'data', 'chain', 'db'), { recursive: true });
  const profile = process.env['SVC_PROFILE'];
  if (profile !== undefined) process.env['NODE_OPTIONS'] = `--cpu-prof --cpu-prof-dir=${profile}`;
  await cluster.start([one, two]);
  const { state_root: root } = await one.cutAt(cuts);
  const servers = (): number[] => [one, two].map(({ processId }) => processorSecondsOf(processId));
  const servedBefore = servers();
  const meter = await syncTo(steady, cuts);
  for (const line of meter.report(payments)) say(line);
  say(
    `one check of a signature takes ${microsPerSignature().toFixed(0)} microseconds of a processor meanwhile`,
  );
  const served = servers().map(
    (seconds, place) => (1e6 * (seconds - (servedBefore[place] ?? 0))) / cuts,
  );
  say(
    `a cut took ${served.map((micros) => micros.toFixed(0)).join(' and ')} microseconds of its servers; the newcomer had at most ${Math.round(peakMegabytesOf(steady.processId))} MB, and used ${processorSecondsOf(steady.processId).toFixed(1)} s with its start`,
  );
  assert.equal((await steady.cutAt(cuts)).state_root, root);
  await steady.stop();

  if (kills > 0) await syncAndKill(killed, root);
  if (profile !== undefined) for (const server of [one, two]) await server.stop();
} finally {
  await cluster.close();
}
