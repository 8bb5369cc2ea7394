/**
 * One seed, from plan to verdict.
 */
import { createCheckers } from '../checkers/checkers.ts';
import type { PlanOptions } from '../plan/plan.ts';
import { drawPlan } from '../plan/plan.ts';
import type { Protocol } from '../world/protocol.ts';
import { PROTOCOL } from '../world/protocol.ts';
import { World } from '../world/world.ts';
import type { SeedOutcome } from './campaign.ts';

export interface SeedResult extends SeedOutcome {
  /** 1 where the faults became more than anything is promised for, so that the run ended without a verdict. */
  readonly abandoned: number;
  readonly events: number;
  readonly virtualMs: number;
  readonly heights: number;
  readonly crashes: number;
  readonly equivocations: number;
  /** Offences that ended as accepted evidence in the chain. */
  readonly offencesProven: number;
  readonly rowsFired: Uint32Array;
}

export function runSeed(
  seed: number,
  options: PlanOptions,
  protocol: Protocol = PROTOCOL,
): SeedResult {
  const world = new World(drawPlan(seed, options), protocol, createCheckers());
  world.run();
  return resultOf(seed, world);
}

/** What came of a world that has run. */
export function resultOf(seed: number, world: World): SeedResult {
  const { failure, events, crashes, equivocations, rowsFired } = world;
  return {
    seed,
    failure,
    abandoned: world.abandoned === undefined ? 0 : 1,
    digest: world.digest.toString(),
    events,
    virtualMs: world.now,
    heights: world.lowestHeight(),
    crashes,
    equivocations,
    offencesProven: world.honest[0]?.chainState.register.size ?? 0,
    rowsFired,
  };
}
