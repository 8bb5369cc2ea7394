/**
 * One seed with the real ledger, from plan to verdict. The kernel must be loaded.
 */
import type { SeedResult } from '../campaign/run-seed.ts';
import { resultOf } from '../campaign/run-seed.ts';
import { createCheckers } from '../checkers/checkers.ts';
import type { FaultName, Plan, PlanOptions } from '../plan/plan.ts';
import { drawPlan } from '../plan/plan.ts';
import type { Protocol } from '../world/protocol.ts';
import { PROTOCOL } from '../world/protocol.ts';
import { World } from '../world/world.ts';
import { drawChanges } from './changes/change-plan.ts';
import { createLedgerCheckers } from './checkers/checkers.ts';
import { LedgerApplication } from './ledger-application.ts';
import { LedgerLevel } from './ledger-level.ts';

const LIVENESS_HEIGHTS = 20;

export interface LedgerWorld {
  readonly world: World;
  readonly level: LedgerLevel;
}

/**
 * Stakes are bonds of the genesis here, so they are the same in every epoch of the machine. Nobody stays slow: twenty
 * heights that each wait for long rounds take longer than a run.
 */
export function drawLedgerPlan(seed: number, options: PlanOptions): Plan {
  const without = new Set<FaultName>([...(options.without ?? []), 'stakeChange']);
  const drawn = drawPlan(seed, { ...options, without });
  const plan = { ...drawn, livenessHeights: LIVENESS_HEIGHTS, staysSlow: false };
  if (without.has('changes')) return plan;
  const changed = drawChanges(plan, options.always?.has('changes') === true);
  if (changed === undefined) return plan;
  // A validator that is gone for ever is hunted where the committee stays: jail takes others from it here.
  return { ...plan, lateReturn: undefined, copied: undefined, ...changed };
}

export function createLedgerWorld(
  plan: Plan,
  protocol: Protocol = PROTOCOL,
  level: LedgerLevel = new LedgerLevel(plan, LedgerApplication, protocol),
): LedgerWorld {
  // The ledger's checkers are asked first: they name the rule of the ledger that was broken.
  const checkers = [...createLedgerCheckers(level), ...createCheckers()];
  return { world: new World(plan, protocol, checkers, level), level };
}

export function runLedgerSeed(
  seed: number,
  options: PlanOptions,
  protocol: Protocol = PROTOCOL,
): SeedResult {
  const { world } = createLedgerWorld(drawLedgerPlan(seed, options), protocol);
  world.run();
  return resultOf(seed, world);
}
