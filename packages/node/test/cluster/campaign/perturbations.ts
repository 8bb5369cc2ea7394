/**
 * What is done to the network, one after the other. Each ends with everything as it was; how long the network
 * takes from there is measured by whoever plays it.
 */
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../kit/wait.ts';
import { PACE_MILLIS, type Stage } from './stage.ts';

export interface Perturbation {
  readonly name: string;
  /** What was seen while it lasted, for the report. */
  readonly play: (stage: Stage) => Promise<string>;
}

const GONE_MILLIS = 10_000;

export const PERTURBATIONS: readonly Perturbation[] = [
  { name: 'kill', play: kill },
  { name: 'pause', play: stopAndContinue },
  { name: 'disconnect', play: disconnect },
  { name: 'partition', play: partition },
  { name: 'weather', play: badWeather },
  { name: 'backup', play: oldBackup },
];

async function kill(stage: Stage): Promise<string> {
  const victims = ['v2', 'pruned'].map((name) => stage.node(name));
  await Promise.all(victims.map((node) => node.kill()));
  const gone = await stage.cluster.advance(2, 30_000, others(stage, ['v2', 'pruned']));
  const start = performance.now();
  await Promise.all(victims.map((node) => node.start()));
  return `two cuts without them in ${ms(gone)}, started again in ${ms(performance.now() - start)}`;
}

async function stopAndContinue(stage: Stage): Promise<string> {
  const victims = ['v3', 'full1'].map((name) => stage.node(name));
  for (const node of victims) node.signal('SIGSTOP');
  await pause(GONE_MILLIS);
  for (const node of victims) node.signal('SIGCONT');
  return `stopped for ${ms(GONE_MILLIS)}`;
}

async function disconnect(stage: Stage): Promise<string> {
  const victims = ['v4', 'full2'];
  stage.gate((from, to) => (victims.includes(from) || victims.includes(to) ? 'refused' : 'open'));
  await pause(GONE_MILLIS);
  stage.heal();
  return `refused for ${ms(GONE_MILLIS)}`;
}

/** Neither side has a quorum: nothing may be decided, and nothing contradictory afterwards. */
async function partition(stage: Stage): Promise<string> {
  const few = new Set(['v5', 'v6', 'v7', 'v1', 'full2']);
  stage.gate((from, to) => (few.has(from) === few.has(to) ? 'open' : 'dark'));
  await pause(PACE_MILLIS);
  const before = await stage.cluster.tip();
  await pause(2 * GONE_MILLIS);
  const decided = (await stage.cluster.tip()) - before;
  stage.heal();
  assert.equal(decided, 0, 'cuts were decided without a quorum');
  return `no cut in ${ms(2 * GONE_MILLIS)}`;
}

async function badWeather(stage: Stage): Promise<string> {
  stage.wires.weather = { delayMillis: 200, loss: 0.1 };
  const cuts = 6;
  const millis = await stage.cluster.advance(cuts, 90_000);
  stage.heal();
  return `${cuts} cuts in ${ms(millis)} with 200 ms each way and 10 % sent again`;
}

/** Its chain and its record of signatures are both from the past, and fit each other. */
async function oldBackup(stage: Stage): Promise<string> {
  const node = stage.node('v4');
  const { directory } = node.planned;
  const [data, kept] = [join(directory, 'data'), join(directory, 'backup')];
  await node.stop();
  cpSync(data, kept, { recursive: true });
  await node.start();
  const before = await node.height();
  await stage.cluster.advance(4, 60_000);
  await node.kill();
  rmSync(data, { recursive: true });
  cpSync(kept, data, { recursive: true });
  rmSync(kept, { recursive: true });
  await node.start();
  return `went back to a copy from cut ${before}`;
}

function others(stage: Stage, names: readonly string[]) {
  return stage.cluster.all.filter(({ name }) => !names.includes(name));
}

function ms(millis: number): string {
  return `${Math.round(millis)} ms`;
}
