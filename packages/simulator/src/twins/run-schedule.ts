/**
 * One schedule with twins, from beginning to verdict: the shell that ships, two processes of one key, and links that
 * follow the schedule instead of chance. After the scheduled rounds everything heals, and all that is checked of a
 * seed is checked here.
 */
import type { WireMessage } from 'svc-consensus/machine';
import type { Failure } from '../base/failure.ts';
import type { Checker } from '../checkers/checker.ts';
import { createCheckers } from '../checkers/checkers.ts';
import type { Node } from '../node/node.ts';
import { drawPlan, FAULT_NAMES, type Plan } from '../plan/plan.ts';
import { signedPart } from '../world/packet.ts';
import { PROTOCOL, type Protocol } from '../world/protocol.ts';
import { World } from '../world/world.ts';
import type { TwinsBounds, TwinsSchedule } from './schedule.ts';

export interface TwinsResult {
  readonly failure: Failure | undefined;
  readonly digest: string;
  /** Rounds that the scheduled height took. */
  readonly rounds: number;
  readonly isConvicted: boolean;
}

/** The first cut names no signers of a cut before it, so the second is the one that is disturbed. */
const HEIGHT = 2;
const ALL_FAULTS = new Set(FAULT_NAMES);
const DELAY_MS = 20;
/** The first cut, and then rounds that end by their timers. */
const BEGIN_MS = 5_000;
const ROUND_MS = 3_600;

export function runSchedule(
  bounds: TwinsBounds,
  schedule: TwinsSchedule,
  protocol: Protocol = PROTOCOL,
): TwinsResult {
  const { twin, restarted } = schedule;
  let rounds = 0;
  const watch: Checker = {
    onStep(_world, node, before, _input, { state }) {
      if (state.context.height !== HEIGHT) return;
      rounds = Math.max(rounds, state.round.round);
      const leavesFirst = before.round.round === 0 && state.round.round > 0;
      if (leavesFirst && node.index === restarted && node.life === 1)
        world.mishapLater(0, () => node.crash());
    },
  };
  const world = new World(planOf(bounds, twin), protocol, [watch, ...createCheckers()]);
  world.passes = (from, to, message) => isHeard(schedule, world, from, to, message);
  world.run();
  const [judge] = world.honest;
  return {
    failure: world.failure,
    digest: world.digest.toString(),
    rounds: rounds + 1,
    isConvicted: judge?.application.isRemoved(twin) === true,
  };
}

function planOf({ validators, rounds }: TwinsBounds, twin: number): Plan {
  const committee = { validatorsMin: validators, validatorsMax: validators };
  return {
    ...drawPlan(1, { ...committee, without: ALL_FAULTS }),
    stakes: [Array.from({ length: validators }, () => 1n)],
    byzantine: new Map([[twin, 'plainTwins']]),
    delayMsMin: DELAY_MS,
    delayMeanMs: 1,
    safetyMs: BEGIN_MS + ROUND_MS * rounds,
  };
}

/** Whether the two are on one side in the round that the message, its sender or else its recipient is in. */
function isHeard(
  { divisions }: TwinsSchedule,
  world: World,
  from: Node,
  to: Node,
  message: WireMessage,
): boolean {
  if (world.healedAtMs !== undefined) return true;
  const signed = signedPart(message);
  const round = signed?.height === HEIGHT ? signed.round : (roundOf(from) ?? roundOf(to));
  const sides = round === undefined ? undefined : divisions[Math.max(0, round)];
  return sides === undefined || sides[placeOf(world, from)] === sides[placeOf(world, to)];
}

function roundOf({ state }: Node): number | undefined {
  return state.context.height === HEIGHT ? state.round.round : undefined;
}

/** The second process of the twin is the last. */
function placeOf({ plan }: World, { index, instance }: Node): number {
  return instance === 0 ? index : plan.validators;
}
