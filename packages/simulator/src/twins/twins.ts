/**
 * Schedules of a small committee with twins, by number: one validator of four or five runs twice, one may restart, and in
 * each of the first rounds of a height the processes are divided in every way into two sides that do not hear each other.
 * The shell that ships runs them with links that follow the schedule instead of chance; then everything heals, and all that
 * is checked of a seed is checked here.
 */
import type { WireMessage } from 'svc-consensus/machine';
import type { Checker } from '../checkers/checker.ts';
import { createCheckers } from '../checkers/checkers.ts';
import type { Node } from '../node/node.ts';
import { drawPlan, FAULT_NAMES, type Plan, type PlanOptions } from '../plan/plan.ts';
import { signedPart } from '../world/packet.ts';
import { PROTOCOL, type Protocol } from '../world/protocol.ts';
import { World } from '../world/world.ts';

type Committee = Pick<PlanOptions, 'validatorsMin'>;

interface TwinsSchedule {
  /** Of equal stake; four or five, so that one of them is below a third. */
  readonly validators: number;
  /** The validator that runs twice; its second process is the last of all processes. */
  readonly twin: number;
  /** The validator whose process ends, and starts again from its disk, when it leaves the first round. */
  readonly restarted: number | undefined;
  /** The side of each process in each round; later rounds are whole. */
  readonly divisions: readonly (readonly number[])[];
}

/** The first cut names no signers of a cut before it, so the second is the one that is disturbed. */
const HEIGHT = 2;
/** Rounds with a division of their own. */
const ROUNDS = 2;
const ALL_FAULTS = new Set(FAULT_NAMES);
const DELAY_MS = 20;
/** The first cut, and then rounds that end by their timers. */
const BEGIN_MS = 5_000;
const ROUND_MS = 3_600;

/** All schedules of so many validators. */
export function scheduleCount(validators: number): number {
  return validators * validators * 2 ** (validators * ROUNDS);
}

/** The divisions are the lowest digits of a number, then who restarts, then who runs twice. */
export function scheduleOf(
  number: number,
  { validatorsMin: validators }: Committee,
): TwinsSchedule {
  if (validators < 4 || validators > 5) throw new RangeError('schedules are of 4 or 5 validators');
  if (number >= scheduleCount(validators))
    throw new RangeError(`${scheduleCount(validators)} schedules of ${validators} validators`);
  let rest = number;
  const digit = (base: number): number => {
    const value = rest % base;
    rest = Math.floor(rest / base);
    return value;
  };
  const divisions = Array.from({ length: ROUNDS }, () => {
    const sides = digit(2 ** validators);
    // The first process names its side.
    return Array.from({ length: validators + 1 }, (_, at) => (sides >> (validators - at)) & 1);
  });
  const restarted = digit(validators);
  const twin = digit(validators);
  // The validator that runs twice is not restarted: its digit means that none is.
  return { validators, twin, restarted: restarted === twin ? undefined : restarted, divisions };
}

export function runSchedule(number: number, committee: Committee, protocol: Protocol = PROTOCOL) {
  const schedule = scheduleOf(number, committee);
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
  const world = new World(planOf(schedule), protocol, [watch, ...createCheckers()]);
  world.passes = (from, to, message) => isHeard(schedule, world, from, to, message);
  world.run();
  const [judge] = world.honest;
  return {
    seed: number,
    failure: world.failure,
    digest: world.digest.toString(),
    /** Rounds that the scheduled height took. */
    rounds: rounds + 1,
    /** 1 where the chain has punished the validator that runs twice. */
    convicted: judge?.application.isRemoved(twin) === true ? 1 : 0,
  };
}

function planOf({ validators, twin }: TwinsSchedule): Plan {
  const committee = { validatorsMin: validators, validatorsMax: validators };
  return {
    ...drawPlan(1, { ...committee, without: ALL_FAULTS }),
    stakes: [Array.from({ length: validators }, () => 1n)],
    byzantine: new Map([[twin, 'plainTwins']]),
    delayMsMin: DELAY_MS,
    delayMeanMs: 1,
    safetyMs: BEGIN_MS + ROUND_MS * ROUNDS,
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
