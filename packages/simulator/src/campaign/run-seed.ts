/**
 * One seed, from plan to verdict.
 */
import type { Failure } from '../base/failure.ts';
import { createCheckers } from '../checkers/checkers.ts';
import type { PlanOptions } from '../plan/plan.ts';
import { drawPlan } from '../plan/plan.ts';
import type { Protocol } from '../world/protocol.ts';
import { PROTOCOL } from '../world/protocol.ts';
import { World } from '../world/world.ts';

export interface SeedResult {
  readonly seed: number;
  readonly failure: Failure | undefined;
  /** Whether the faults became more than anything is promised for, so that the run ended without a verdict. */
  readonly isAbandoned: boolean;
  readonly digest: string;
  readonly events: number;
  readonly virtualMs: number;
  readonly heights: number;
  readonly crashes: number;
  readonly equivocations: number;
  /** Offences that ended as accepted evidence in the chain. */
  readonly offencesProven: number;
  readonly rowsFired: Uint32Array;
}

export type SeedRunner = (seed: number, options: PlanOptions, protocol: Protocol) => SeedResult;

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
    isAbandoned: world.abandoned !== undefined,
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
