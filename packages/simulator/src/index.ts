/**
 * A whole committee in one process under a seed.
 */
export type { ActorName } from './actors/actor-names.ts';
export { ACTOR_NAMES } from './actors/actor-names.ts';
export type { Failure } from './base/failure.ts';
export type { CampaignOptions, CampaignTotals } from './campaign/campaign.ts';
export { runCampaign } from './campaign/campaign.ts';
export type { SeedResult } from './campaign/run-seed.ts';
export { runSeed } from './campaign/run-seed.ts';
export type { Mutant } from './mutants/mutant.ts';
export { MUTANTS } from './mutants/mutants.ts';
export type { Plan, PlanOptions } from './plan/plan.ts';
export { drawPlan } from './plan/plan.ts';
export type { Protocol } from './world/protocol.ts';
export { PROTOCOL } from './world/protocol.ts';
export { World } from './world/world.ts';
