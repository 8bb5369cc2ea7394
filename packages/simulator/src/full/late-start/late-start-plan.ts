/**
 * What a seed decides about the first start of a network: who is not there when the chain should begin, and comes for the first
 * time when its genesis is long past. Either all are late, or so many that those who are on time cannot decide without them.
 */
import { Random } from '../../base/random.ts';
import type { Plan } from '../../plan/plan.ts';

/** When each of those who are late starts for the first time. */
export type LateStarts = ReadonlyMap<number, number>;

const LATE_START_STREAM = 27;
/** Of seeds, with or without peers, whose epochs are not short. */
const LATE_START_RATE = 0.04;
const ALL_LATE_RATE = 0.5;
/** Beyond ten minutes a chain gives up to make its lateness good. */
const ALL_LATE_MS_MAX = 900_000;
/** Those who are on time wait in round after round for the others. */
const SOME_LATE_MS_MIN = 3_000;
const SOME_LATE_MS_MAX = 60_000;
/** Between the starts of those who come together. */
const SPREAD_MS_MAX = 15_000;

type LateStartChanges = Pick<Plan, 'safetyMs'> & { readonly lateStarts: LateStarts };

/** What a late first start changes in a plan, if there is one; faults go on as long as without it once all have started. */
export function drawLateStart(
  { seed, stakes, safetyMs }: Pick<Plan, 'seed' | 'stakes' | 'safetyMs'>,
  isForced: boolean,
): LateStartChanges | undefined {
  const random = new Random(seed, LATE_START_STREAM);
  const isOn = random.chance(LATE_START_RATE) || isForced;
  if (!isOn) return undefined;
  const [first = []] = stakes;
  const areAllLate = random.chance(ALL_LATE_RATE);
  const late = areAllLate ? [...first.keys()] : drawBlocking(random, first);
  const begin = areAllLate
    ? random.between(0, ALL_LATE_MS_MAX)
    : random.between(SOME_LATE_MS_MIN, SOME_LATE_MS_MAX);
  const spread = random.between(0, SPREAD_MS_MAX);
  const lateStarts = new Map(late.map((index) => [index, begin + random.between(0, spread)]));
  return { lateStarts, safetyMs: begin + spread + safetyMs };
}

/** Validators in random order until they have more than a third of the stake: no cut is decided without them. */
function drawBlocking(random: Random, stakes: readonly bigint[]): number[] {
  const total = stakes.reduce((sum, stake) => sum + stake, 0n);
  const chosen: number[] = [];
  let stake = 0n;
  for (const index of random.shuffled([...stakes.keys()])) {
    if (3n * stake > total) break;
    chosen.push(index);
    stake += stakes[index] as bigint;
  }
  return chosen;
}
