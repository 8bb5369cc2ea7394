/**
 * One seed of full nodes, from plan to verdict. The kernel must be loaded.
 */
import type { Plan, PlanOptions } from '../plan/plan.ts';
import { drawPlan } from '../plan/plan.ts';
import type { Failure } from '../world/world.ts';
import { SimulatedNetwork } from './full-world.ts';

export interface NodeSeedResult {
  readonly seed: number;
  readonly failure: Failure | undefined;
  readonly digest: string;
  readonly events: number;
  readonly virtualMs: number;
  readonly heights: number;
  readonly crashes: number;
  readonly blocksMined: number;
}

const LIVENESS_HEIGHTS = 3;

/** No liars yet, one set of stakes, and clocks that are right. */
export function drawNodePlan(seed: number, options: PlanOptions): Plan {
  const without = ['stakeChange', 'byzantine', 'clock', 'slowApplication', 'disk'] as const;
  const all = new Set([...(options.without ?? []), ...without]);
  return { ...drawPlan(seed, { ...options, without: all }), livenessHeights: LIVENESS_HEIGHTS };
}

export async function runNodeSeed(seed: number, options: PlanOptions): Promise<NodeSeedResult> {
  const world = new SimulatedNetwork(drawNodePlan(seed, options));
  await world.run();
  const { failure, events, crashes, blocksMined, now: virtualMs } = world;
  const heights = world.lowestHeight;
  const digest = world.digest.toString();
  await world.close();
  return { seed, failure, digest, events, virtualMs, heights, crashes, blocksMined };
}
