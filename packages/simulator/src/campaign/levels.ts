/**
 * The levels of the simulator: what a seed draws there, what can be broken, and how one seed goes from plan to verdict.
 * The kernel must be loaded for all levels but finality and twins.
 */
import { createCheckers } from '../checkers/checkers.ts';
import { createLedgerCheckers } from '../checkers/ledger.ts';
import { exploreHandOver } from '../explore/hand-over/explore-hand-over.ts';
import { type FirstHeight, firstHeights } from '../explore/hand-over/reach.ts';
import { explore } from '../explore/search/explore.ts';
import { type World as ExploredWorld, WORLDS } from '../explore/search/universe.ts';
import { SimulatedNetwork } from '../full/full-world.ts';
import { NODE_MUTANTS, NODE_RULES, type NodeRules } from '../full/node-rules.ts';
import { LedgerApplication, LedgerLevel } from '../ledger/ledger-level.ts';
import { COMMITTEE_MUTANTS, CONTRADICTIONS_ACKNOWLEDGED, MUTANTS } from '../mutants/mutants.ts';
import { drawLedgerPlan } from '../plan/ledger-plan.ts';
import { drawNodePlan } from '../plan/node-plan.ts';
import { drawPlan, type Plan, type PlanOptions } from '../plan/plan.ts';
import { drawSignerPlan, SignerWorld } from '../signer/signer-world.ts';
import { runSchedule, scheduleOf } from '../twins/twins.ts';
import { PROTOCOL, type Protocol } from '../world/protocol.ts';
import { World } from '../world/world.ts';
import type { LevelName } from './arguments.ts';
import type { SeedOutcome, SeedRunner } from './campaign.ts';

/** More than all states by lazy moves of any world. */
const EXPLORED_MAX = 2_000_000;
/** Later rounds in which the first height can be decided; from round 12 on round 0 is forgotten. */
const HAND_OVER_ROUNDS = [4, 12];
/** The most honest validators that precommit the cut in one round. */
const SIGNERS_MAX = 3;

export function runSeed(seed: number, options: PlanOptions, protocol: Protocol = PROTOCOL) {
  return resultOf(seed, new World(drawPlan(seed, options), protocol, createCheckers()));
}

export type LedgerWorld = ReturnType<typeof createLedgerWorld>;

export function createLedgerWorld(
  plan: Plan,
  protocol: Protocol = PROTOCOL,
  level: LedgerLevel = new LedgerLevel(plan, LedgerApplication, protocol),
) {
  // The ledger's checkers are asked first: they name the rule of the ledger that was broken.
  const checkers = [...createLedgerCheckers(level), ...createCheckers()];
  return { world: new World(plan, protocol, checkers, level), level };
}

export function runLedgerSeed(seed: number, options: PlanOptions, protocol: Protocol = PROTOCOL) {
  return resultOf(seed, createLedgerWorld(drawLedgerPlan(seed, options), protocol).world);
}

export type SeedResult = ReturnType<typeof resultOf>;

function resultOf(seed: number, world: World) {
  world.run();
  const { failure, events, crashes, equivocations, rowsFired } = world;
  return {
    seed,
    failure,
    /** 1 where the faults became more than anything is promised for, so that the run ended without a verdict. */
    abandoned: world.abandoned === undefined ? 0 : 1,
    digest: world.digest.toString(),
    events,
    virtualMs: world.now,
    heights: world.lowestHeight(),
    crashes,
    equivocations,
    /** Offences that ended as accepted evidence in the chain. */
    offencesProven: world.honest[0]?.chainState.register.size ?? 0,
    rowsFired,
  };
}

export type NodeSeedResult = Awaited<ReturnType<typeof runNodeSeed>>;

export async function runNodeSeed(
  seed: number,
  options: PlanOptions,
  rules: NodeRules = NODE_RULES,
) {
  const world = new SimulatedNetwork(drawNodePlan(seed, options), rules);
  await world.run();
  const { failure, events, crashes, powerCuts, now: virtualMs } = world;
  const result = {
    seed,
    failure,
    digest: world.digest.toString(),
    events,
    virtualMs,
    /** From healing to the last height. */
    slowestHealingMs: virtualMs - (world.healedAtMs ?? virtualMs),
    /** The longest that a payment or block was on its way between honest peers after healing. */
    slowestArrivalMs: world.peerNet?.arrivals.slowestMs ?? 0,
    clockJumps: world.clockJumps,
    heights: world.lowestHeight,
    crashes,
    powerCuts,
    blocksMined: world.miners.mined,
    /** Consensus keys that were replaced by others. */
    rotations: world.rotation?.missing === undefined && world.rotation !== undefined ? 1 : 0,
  };
  await world.close();
  return result;
}

async function runSignerSeed(seed: number): Promise<SeedOutcome> {
  const world = new SignerWorld(drawSignerPlan(seed));
  await world.run();
  const { failure, signatures, refusals, takeOvers, signerCrashes: crashes } = world;
  const counts = { virtualMs: world.now, signatures, refusals, takeOvers, crashes };
  return { seed, failure, digest: world.digest.toString(), ...counts };
}

/** The worlds of one height, and then everything that can be signed at the first of two heights. */
const EXPLORED: readonly (ExploredWorld | FirstHeight)[] = [
  ...WORLDS,
  ...HAND_OVER_ROUNDS.flatMap((round) => firstHeights(round, SIGNERS_MAX)),
];

function exploredBy(seed: number): ExploredWorld | FirstHeight {
  const explored = EXPLORED[seed];
  if (explored === undefined)
    throw new RangeError(`seeds 0 to ${EXPLORED.length - 1} are explored`);
  return explored;
}

function runExploration(seed: number): SeedOutcome {
  const explored = exploredBy(seed);
  const found =
    'early' in explored
      ? exploreHandOver([explored], { hasJunk: true, statesMax: EXPLORED_MAX })
      : explore(explored, { statesMax: EXPLORED_MAX });
  const { states, violation } = found;
  const detail = violation && [violation.reason, ...violation.path].join('\n  ');
  const failure = detail === undefined ? undefined : { checker: 'exploration', detail, atMs: 0 };
  const counts = { states };
  return { seed, failure, digest: String(states), ...counts };
}

interface CampaignLevel {
  readonly draw: (seed: number, options: PlanOptions) => object;
  readonly mutants: readonly { readonly name: string }[];
  /** A runner whose validators break the rule of the mutant, if one is named. */
  readonly runnerOf: (mutant: string | undefined) => SeedRunner<SeedOutcome>;
}

type ProtocolMutants = readonly { readonly name: string; readonly protocol: Protocol }[];

/** A level whose mutants are protocols. */
function levelOf(
  draw: CampaignLevel['draw'],
  mutants: ProtocolMutants,
  run: (seed: number, options: PlanOptions, protocol?: Protocol) => SeedOutcome,
): CampaignLevel {
  const protocolOf = (mutant?: string) => mutants.find(({ name }) => name === mutant)?.protocol;
  return {
    draw,
    mutants,
    runnerOf: (mutant) => (seed, options) => run(seed, options, protocolOf(mutant)),
  };
}

export const LEVELS: Readonly<Record<LevelName, CampaignLevel>> = {
  finality: levelOf(drawPlan, MUTANTS, runSeed),
  ledger: levelOf(drawLedgerPlan, [...MUTANTS, ...COMMITTEE_MUTANTS], runLedgerSeed),
  node: {
    draw: drawNodePlan,
    mutants: NODE_MUTANTS,
    runnerOf: (mutant) => {
      const rules = NODE_MUTANTS.find(({ name }) => name === mutant)?.rules;
      return (seed, options) => runNodeSeed(seed, options, rules);
    },
  },
  explore: { draw: exploredBy, mutants: [], runnerOf: () => runExploration },
  signer: { draw: drawSignerPlan, mutants: [], runnerOf: () => runSignerSeed },
  twins: levelOf(scheduleOf, [...MUTANTS, CONTRADICTIONS_ACKNOWLEDGED], runSchedule),
};
