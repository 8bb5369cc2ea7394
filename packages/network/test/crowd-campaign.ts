/**
 * One node with followers and idle peers in another process: what they cost it. Arguments: followers, idle peers,
 * validators, cuts, cuts between certificates, milliseconds between cuts.
 * `node … crowd-campaign.ts 64 100 64 64 1 500`. Followers fetch the cuts of a certificate before the next one is made: on a machine
 * that is short of processor they would fall behind, and fetch less.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { LOOPBACK, startNetwork } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { ChainScript } from './testing/script.ts';

const CUTS_PER_DAY = 34_560;

const given = process.argv.slice(2).map(Number);
const [followers = 64, idle = 100, validators = 64, cuts = 60, every = 1, pace = 500] = given;
await init();
const ends: (() => unknown)[] = [];
const closing = { after: (end: () => unknown) => ends.push(end) };

const chain = new ChainScript({ seed: 'crowd', validators });
const application = new MemoryApplication(chain);
const limits = { ...LOOPBACK.limits, inboundMax: followers + idle + 8 };
const bare = process.memoryUsage().rss;
const network = await startNetwork(closing, application, { limits });
const crowd = fork(new URL('./testing/crowd-process.ts', import.meta.url), [
  network.addresses[0] as string,
  ...[followers, idle, validators, every, every * pace * 2].map(String),
]);
ends.push(() => crowd.kill());
for (let count = 1; count <= followers + idle; count++)
  await until(() => network.peers.size >= count, `peer ${count}`);
const connected = process.memoryUsage().rss;

const sent = network.traffic.sentBytes;
const used = process.cpuUsage();
let signing = 0;
let slowest = 0;
for (let cut = 1; cut <= cuts; cut++) {
  const before = process.cpuUsage();
  chain.append();
  signing += spent(before);
  application.adopt();
  await sleep(pace);
  if (cut % every !== 0) continue;
  crowd.send(application.tip.height);
  const [seconds] = (await once(crowd, 'message')) as [number];
  slowest = Math.max(slowest, seconds);
}
const serving = spent(used) - signing;
const bytes = network.traffic.sentBytes - sent;
const perFollower = bytes / cuts / followers;

print('peers', `${followers} followers, ${idle} idle, ${validators} validators`);
print('memory', `${mega(connected - bare)} MB for the connections, ${mega(memory())} MB in all`);
print('processor', `${(serving / cuts).toFixed(1)} ms a cut`);
print('sent', `${Math.round(perFollower)} bytes a cut and follower`);
print('a follower a day', `${mega(perFollower * CUTS_PER_DAY)} MB`);
print('this node a day', `${mega((bytes / cuts) * CUTS_PER_DAY)} MB`);
print('all followers had what is certified', `${slowest.toFixed(1)} s after the pace at most`);
for (const end of ends.reverse()) await end();

function spent(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

function memory(): number {
  return process.memoryUsage().rss;
}

function mega(count: number): string {
  return (count / 1e6).toFixed(0);
}

function print(name: string, value: string): void {
  process.stdout.write(`${name.padEnd(38)}${value}\n`);
}
