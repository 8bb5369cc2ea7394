/**
 * One seed of full nodes, from plan to verdict. The kernel must be loaded.
 */
import type { SeedOutcome } from '../campaign/campaign.ts';
import type { PlanOptions } from '../plan/plan.ts';
import { SimulatedNetwork } from './full-world.ts';
import { drawNodePlan } from './node-plan.ts';
import { NODE_RULES, type NodeRules } from './node-rules.ts';

export interface NodeSeedResult extends SeedOutcome {
  readonly events: number;
  readonly virtualMs: number;
  /** From healing to the last height. */
  readonly slowestHealingMs: number;
  /** The longest that a payment or block was on its way between honest peers after healing. */
  readonly slowestArrivalMs: number;
  /** Of wall clocks. */
  readonly clockJumps: number;
  readonly heights: number;
  readonly crashes: number;
  readonly powerCuts: number;
  readonly blocksMined: number;
  /** Consensus keys that were replaced by others. */
  readonly rotations: number;
}

export async function runNodeSeed(
  seed: number,
  options: PlanOptions,
  rules: NodeRules = NODE_RULES,
): Promise<NodeSeedResult> {
  const world = new SimulatedNetwork(drawNodePlan(seed, options), rules);
  await world.run();
  const { failure, events, crashes, powerCuts, now: virtualMs } = world;
  const result = {
    seed,
    failure,
    digest: world.digest.toString(),
    events,
    virtualMs,
    slowestHealingMs: virtualMs - (world.healedAtMs ?? virtualMs),
    slowestArrivalMs: world.peerNet?.arrivals.slowestMs ?? 0,
    clockJumps: world.wallClocks.jumps,
    heights: world.lowestHeight,
    crashes,
    powerCuts,
    blocksMined: world.miners.mined,
    rotations: world.rotation?.missing === undefined && world.rotation !== undefined ? 1 : 0,
  };
  await world.close();
  return result;
}
