/**
 * Many seeds of full nodes, one after another, with what they add up to and a report of it.
 */
import type { CampaignOptions } from '../campaign/campaign.ts';
import { NODE_RULES, type NodeRules } from './node-rules.ts';
import { type NodeSeedResult, runNodeSeed } from './run-node-seed.ts';

export interface NodeCampaignTotals {
  seeds: number;
  readonly failures: NodeSeedResult[];
  /** Seeds that were run twice with the same digest. */
  repeated: number;
  events: number;
  virtualMs: number;
  heights: number;
  crashes: number;
  powerCuts: number;
  blocksMined: number;
  rotations: number;
  /** Virtual time that the slowest seed needed from healing to its last height. */
  slowestMs: number;
  /** That a payment or block needed from one honest peer to the others. */
  slowestArrivalMs: number;
  clockJumps: number;
}

export async function runNodeCampaign(
  options: CampaignOptions,
  rules: NodeRules = NODE_RULES,
  onProgress: (totals: NodeCampaignTotals) => void = () => {},
): Promise<NodeCampaignTotals> {
  const totals: NodeCampaignTotals = {
    seeds: 0,
    failures: [],
    repeated: 0,
    events: 0,
    virtualMs: 0,
    heights: 0,
    crashes: 0,
    powerCuts: 0,
    blocksMined: 0,
    rotations: 0,
    slowestMs: 0,
    slowestArrivalMs: 0,
    clockJumps: 0,
  };
  for (let seed = options.from; seed < options.from + options.seeds; seed++) {
    add(totals, await runChecked(seed, options, rules, totals));
    onProgress(totals);
    if (totals.failures.length >= options.failuresMax) break;
  }
  return totals;
}

async function runChecked(
  seed: number,
  options: CampaignOptions,
  rules: NodeRules,
  totals: NodeCampaignTotals,
): Promise<NodeSeedResult> {
  const result = await runNodeSeed(seed, options, rules);
  if (result.failure !== undefined || seed % options.repeatEvery !== 0) return result;
  totals.repeated += 1;
  const { digest } = await runNodeSeed(seed, options, rules);
  if (digest === result.digest) return result;
  const detail = `digests ${result.digest} and ${digest}`;
  return { ...result, failure: { checker: 'determinism', detail, atMs: 0 } };
}

function add(totals: NodeCampaignTotals, result: NodeSeedResult): void {
  totals.seeds += 1;
  totals.events += result.events;
  totals.virtualMs += result.virtualMs;
  totals.heights += result.heights;
  totals.crashes += result.crashes;
  totals.powerCuts += result.powerCuts;
  totals.blocksMined += result.blocksMined;
  totals.rotations += result.rotations;
  totals.slowestMs = Math.max(totals.slowestMs, result.healingMs);
  totals.slowestArrivalMs = Math.max(totals.slowestArrivalMs, result.arrivalMs);
  totals.clockJumps += result.clockJumps;
  if (result.failure !== undefined) totals.failures.push(result);
}

export function nodeReportLines(totals: NodeCampaignTotals, cpuSeconds: number): string[] {
  const rows: [string, number][] = [
    ['seeds', totals.seeds],
    ['violations', totals.failures.length],
    ['seeds run twice, digests equal', totals.repeated],
    ['seeds per CPU second', totals.seeds / cpuSeconds],
    ['CPU seconds', cpuSeconds],
    ['events', totals.events],
    ['simulated hours', totals.virtualMs / 3_600_000],
    ['heights decided by all that stay', totals.heights],
    ['blocks mined', totals.blocksMined],
    ['consensus keys rotated', totals.rotations],
    ['crashes', totals.crashes],
    ['power cuts', totals.powerCuts],
    ['jumps of wall clocks', totals.clockJumps],
    ['slowest arrival at a peer, simulated seconds', totals.slowestArrivalMs / 1_000],
    ['slowest recovery, simulated seconds', totals.slowestMs / 1_000],
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
  return rows.map(([label, value]) => `  ${label.padEnd(width)}  ${number.format(value)}`);
}
