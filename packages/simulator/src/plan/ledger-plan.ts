/**
 * What a seed decides about the committee of a ledger: who joins, leaves, rotates its key and is away for so long that it
 * loses its seat. What liars hold stays below a third of those who are meant to stay.
 */
import { Random } from '../base/random.ts';
import type { EpochRules } from '../world/cut.ts';
import { drawPlan, type FaultName, type Plan, type PlanOptions } from './plan.ts';

/** The shortest epoch that divides into the attendance windows of the ledger. */
const EPOCH_CUTS = 12;
export const ELECTED_EPOCHS: EpochRules = {
  cuts: EPOCH_CUTS,
  eligibilityCuts: 4,
  attendance: { windows: EPOCH_CUTS, cutsPerWindow: 1, signaturesMin: 1, windowsMin: 9 },
};

/** Of seeds of level ledger: a run spans four epochs or more, which take a multiple of the time of other seeds. */
const CHANGES_RATE = 0.04;
const CHANGES_STREAM = 26;
const JOINS_MAX = 2;
const JOIN_STAKE_MAX = 3;
/** Some networks heal before the first new committee sits, and some when the third does. */
const SAFETY_MS_MIN = 15_000;
const SAFETY_MS_MAX = 75_000;
const ABSENCE_MS_MIN = 10_000;
const ABSENCE_MS_MAX = 40_000;
/** A validator that joins in the first epoch sits in the third; three epochs follow the healing. */
const CHANGING_HEIGHTS = 3 * EPOCH_CUTS;
const LIVENESS_HEIGHTS = 20;

/**
 * Stakes are bonds of the genesis here, so they are the same in every epoch of the machine. No validator stays slow: twenty
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

/** What changes of the committee make of a plan, if there are any. */
function drawChanges(plan: Plan, isForced: boolean) {
  const random = new Random(plan.seed, CHANGES_STREAM);
  if (!random.chance(CHANGES_RATE) && !isForced) return undefined;
  const founders = plan.validators;
  const joins = Array.from({ length: random.integer(1, JOINS_MAX) }, (_, at) => ({
    validator: founders + at,
    fromHeight: random.integer(1, EPOCH_CUTS),
    stake: BigInt(random.integer(1, JOIN_STAKE_MAX)),
  }));
  const safetyMs = random.between(SAFETY_MS_MIN, SAFETY_MS_MAX);
  const leaving = drawLeaving(random, plan);
  const exits = leaving.slice(0, random.integer(0, 1)).map((validator) => {
    return { validator, fromHeight: random.integer(1, 2 * EPOCH_CUTS) };
  });
  const absences = leaving.slice(exits.length).map((validator) => {
    const fromMs = random.between(0, safetyMs / 2);
    const untilMs = fromMs + random.between(ABSENCE_MS_MIN, ABSENCE_MS_MAX);
    return { validator, fromMs, untilMs };
  });
  const rotations = [...Array(founders).keys()]
    .filter((validator) => !exits.some((exit) => exit.validator === validator))
    .filter(() => random.chance(0.4))
    .map((validator) => ({ validator, fromHeight: random.integer(1, 2 * EPOCH_CUTS) }));
  const liesFromHeight = random.pick([1, EPOCH_CUTS, EPOCH_CUTS, EPOCH_CUTS + 1, 2 * EPOCH_CUTS]);
  const [first = []] = plan.stakes;
  return {
    validators: founders + joins.length,
    stakes: [[...first, ...joins.map(({ stake }) => stake)]],
    epochs: ELECTED_EPOCHS,
    safetyMs,
    livenessHeights: CHANGING_HEIGHTS,
    changes: { founders, joins, exits, rotations, absences, liesFromHeight },
  };
}

/** At most two that leave or lose their seats, with whom gone the liars are still below a third. */
function drawLeaving(random: Random, { stakes, byzantine }: Plan): number[] {
  const [first = []] = stakes;
  const leaving: number[] = [];
  for (const validator of random.shuffled([...first.keys()])) {
    const gone = new Set([...leaving, validator]);
    const staying = [...first.keys()].filter((index) => !gone.has(index));
    const sum = (indexes: readonly number[]) =>
      indexes.reduce((total, index) => total + (first[index] as bigint), 0n);
    const liars = staying.filter((index) => byzantine.has(index));
    const isSafe = staying.length > 2 && 3n * sum(liars) < sum(staying);
    if (isSafe && leaving.length < 2) leaving.push(validator);
  }
  return leaving;
}
