/**
 * What is done to the network, one after the other. Each ends with everything as it was; how long the network
 * takes from there is measured by whoever plays it.
 */
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterNode } from '../testing/cluster-node.ts';
import { lastSignedHeight, SignedHeights } from '../testing/signed-heights.ts';
import { pause, waited } from '../testing/wait.ts';
import { expectPace, type Pace, paceOf, paceText } from './pace.ts';
import { PACE_MILLIS, RECOVERY_MILLIS_MAX, type Stage } from './stage.ts';

export interface Perturbation {
  readonly name: string;
  /** What was seen while it lasted, for the report. */
  readonly play: (stage: Stage) => Promise<string>;
  /** Whether it names validators that a network of four does not have. */
  readonly needsSeven?: true;
}

interface ValidatorFacts {
  readonly state: string;
  readonly stake: string;
}

const GONE_MILLIS = 10_000;
const LOSS = 0.1;
/** Those that a change of the weather holds up are not counted. */
const UNSTEADY_CUTS = 3;
const STEADY_CUTS = 20;
const CLEAR_CUTS = 10;
/** The routes that go down in bad weather; two are left, and both validators still dial others. */
const ROUTES_DOWN = ['v3', 'v4'];

export const PERTURBATIONS: readonly Perturbation[] = [
  { name: 'kill', play: kill },
  { name: 'pause', play: stopAndContinue },
  { name: 'disconnect', play: disconnect },
  { name: 'partition', play: partition, needsSeven: true },
  { name: 'weather', play: badWeather },
  { name: 'routes', play: routesDown, needsSeven: true },
  { name: 'backup', play: oldBackup },
  { name: 'garbage', play: (stage) => liar(stage, 'garbage') },
  { name: 'bodies', play: (stage) => liar(stage, 'wrong-bodies') },
  { name: 'equivocation', play: equivocation, needsSeven: true },
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

/** As between continents. */
async function badWeather(stage: Stage): Promise<string> {
  const clear = await paceOf(stage.observer, CLEAR_CUTS);
  const steady = await inBadWeather(stage);
  stage.heal();
  expectPace(steady, clear, 'in bad weather');
  return `${steadily(steady)} ${weatherOf(stage)}, ${paceText(clear)} before it`;
}

/** Two validators lose their routes while the weather is bad: links to them fall silent, and nobody can make new ones. */
async function routesDown(stage: Stage): Promise<string> {
  const clear = await paceOf(stage.observer, CLEAR_CUTS);
  const whole = await inBadWeather(stage);
  stage.gate((_, to, port) => (port === 'overlay' && ROUTES_DOWN.includes(to) ? 'dark' : 'open'));
  const gone = await stage.cluster.advance(UNSTEADY_CUTS, RECOVERY_MILLIS_MAX, [stage.observer]);
  const steady = await paceOf(stage.observer, STEADY_CUTS);
  stage.heal();
  expectPace(steady, clear, 'in bad weather without two routes');
  return `${steadily(steady)} ${weatherOf(stage)} and two routes less, ${paceText(whole)} with them, ${paceText(clear)} before the weather; ${UNSTEADY_CUTS} cuts ${ms(gone)} after they went down`;
}

async function inBadWeather(stage: Stage): Promise<Pace> {
  stage.wires.weather = { delayMillis: stage.eachWayMillis, loss: LOSS };
  await stage.cluster.advance(UNSTEADY_CUTS, RECOVERY_MILLIS_MAX, [stage.observer]);
  return await paceOf(stage.observer, STEADY_CUTS);
}

function steadily(pace: Pace): string {
  return `a median of ${paceText(pace)} for ${STEADY_CUTS} cuts`;
}

function weatherOf({ eachWayMillis }: Stage): string {
  return `with ${eachWayMillis} ms each way and ${100 * LOSS} % sent again`;
}

/** Its chain and its record of signatures are both from the past, and fit each other. */
async function oldBackup(stage: Stage): Promise<string> {
  const node = stage.node('v4');
  const { directory } = node.planned;
  const [data, kept] = [join(directory, 'data'), join(directory, 'backup')];
  await node.stop();
  cpSync(data, kept, { recursive: true });
  const copied = lastSignedHeight(node.planned);
  await node.start();
  await stage.cluster.advance(4, 60_000);
  await node.kill();
  const newest = lastSignedHeight(node.planned);
  assert.ok(newest > copied, `it signed nothing between the copy at ${copied} and its end`);
  rmSync(data, { recursive: true });
  cpSync(kept, data, { recursive: true });
  rmSync(kept, { recursive: true });
  const signed = new SignedHeights(node.planned);
  await node.start();
  await stage.recovery();
  await signed.above(newest, RECOVERY_MILLIS_MAX);
  signed.close();
  assert.deepEqual(signed.within(copied, newest), [], 'it signed where it had signed before');
  return `a copy from cut ${copied} put back after cut ${newest}, and no height signed twice`;
}

/** Somebody new knows the liar and one honest node; everybody else meets the liar as a peer. */
async function liar(stage: Stage, fault: 'garbage' | 'wrong-bodies'): Promise<string> {
  const { cluster, wires } = stage;
  const place = (name: string) => wires.placeOf(name);
  const [bad, fresh] = [`liar-${fault}`, `fresh-${fault}`];
  const lying = await cluster.add({ name: bad, bootstrap: ['full1', 'v1'] }, await place(bad));
  lying.fault = fault;
  await lying.start();
  if (fault === 'wrong-bodies') await cluster.advance(1, 30_000, [lying]);
  const plan = { name: fresh, bootstrap: [bad, 'full2'] };
  const newcomer = await cluster.add(plan, await place(fresh));
  await newcomer.start();
  const tip = await cluster.tip(others(stage, [bad]));
  const millis = await newcomer.reach(tip, RECOVERY_MILLIS_MAX);
  await cluster.agree(others(stage, [bad]));
  await cluster.drop(lying);
  return `a newcomer who asked it had ${tip} cuts ${ms(millis)} after its start`;
}

async function equivocation(stage: Stage): Promise<string> {
  const node = stage.node('v6');
  const before = await validatorFacts(stage, node);
  await node.stop();
  node.fault = 'equivocate';
  await node.start();
  const { found, millis } = await waited(
    async () => {
      const now = await validatorFacts(stage, node);
      return now.stake === before.stake ? undefined : now;
    },
    'a validator that signed twice to lose its bond',
    120_000,
  );
  await stage.cluster.drop(node);
  return `${before.state} with ${before.stake} became ${found.state} with ${found.stake} in ${ms(millis)}`;
}

/** As the chain knows it; a validator that was thrown out is not there any more. */
async function validatorFacts(stage: Stage, { planned }: ClusterNode): Promise<ValidatorFacts> {
  const path = `/v1/staking/validators/${stage.cluster.network.validatorId(planned)}`;
  type Answer = { validator?: ValidatorFacts; error?: { code: string } };
  const { validator, error } = await stage.node('full1').get<Answer>(path);
  if (validator !== undefined) return validator;
  assert.equal(error?.code, 'not_found');
  return { state: 'gone', stake: '0' };
}

function others(stage: Stage, names: readonly string[]) {
  return stage.cluster.all.filter(({ name }) => !names.includes(name));
}

function ms(millis: number): string {
  return `${Math.round(millis)} ms`;
}
