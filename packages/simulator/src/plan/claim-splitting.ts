/**
 * Plans in which all liars split claims: they can cut one honest validator off, long enough for the others to forget the
 * round in which it decided. Other trouble would mostly end such a height in another way, so there is little of it.
 */
import { type ActorName, CLAIM_SPLITTER } from '../actors/actor-names.ts';
import { Random } from '../base/random.ts';

const SPLITTING_STREAM = 32;
const SPLITTING_RATE = 0.01;
/** Ten rounds, and two that nobody proposes in. */
const SAFETY_MS = 70_000;

export const NOT_WHILE_SPLITTING = [
  'loss',
  'tail',
  'clog',
  'partition',
  'unrouted',
  'disk',
  'clock',
  'staleTwin',
  'restoredBackup',
  'fullDisk',
  'slowMinority',
  'lateReturn',
  'copiedDisk',
] as const;

interface SplittablePlan {
  readonly stakes: readonly (readonly bigint[])[];
  readonly byzantine: ReadonlyMap<number, ActorName>;
}

/** Whether the liars of a seed, if it has any, split claims. */
export function splitsClaims(seed: number): boolean {
  return new Random(seed, SPLITTING_STREAM).chance(SPLITTING_RATE);
}

/** The plan with such liars; undefined where the others decide without them and whomever they cut off. */
export function withClaimSplitters<Plan extends SplittablePlan>(
  plan: Plan,
  safetyMsMax: number | undefined,
) {
  const { byzantine, stakes } = plan;
  const [first = []] = stakes;
  const total = first.reduce((sum, stake) => sum + stake, 0n);
  const isHonest = (index: number) => !byzantine.has(index);
  const honest = first.reduce((sum, stake, index) => (isHonest(index) ? sum + stake : sum), 0n);
  const cutOff = first.findIndex(
    (stake, index) => isHonest(index) && 3n * stake < total && 3n * (honest - stake) <= 2n * total,
  );
  if (byzantine.size === 0 || cutOff < 0) return undefined;
  return {
    ...plan,
    cutOff,
    byzantine: new Map([...byzantine.keys()].map((index) => [index, CLAIM_SPLITTER])),
    safetyMs: Math.min(SAFETY_MS, safetyMsMax ?? SAFETY_MS),
  };
}
