/**
 * Plans of few seeds, with little other trouble.
 *
 * Split claims: liars cut one honest validator off, long enough for the others to forget the round in which it decided.
 *
 * Copied disks: the disk of a running validator is copied, up to fifty cuts before a second process starts from the copy.
 * Cuts are made all the time: a key that may be needed for the next cut does not wait for one, and a copy that lacks
 * nothing is known by the cuts that are made beside it.
 */
import { type ActorName, CLAIM_SPLITTER } from '../actors/actor-names.ts';
import { Random } from '../base/random.ts';

const SPLITTING_STREAM = 32;
const SPLITTING_RATE = 0.01;
/** Ten rounds, and two without a proposer. */
const SPLITTING_MS = 70_000;

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

/** Whether liars of this seed split claims. */
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
    safetyMs: Math.min(SPLITTING_MS, safetyMsMax ?? SPLITTING_MS),
  };
}

const COPYING_STREAM = 40;
const COPYING_RATE = 0.012;
const COPIED_AT_MS = [3_000, 20_000] as const;
/** Of fifty cuts at the shortest pace, and of a few: young copies are the ones that lack nothing. */
const AGES_MS_MAX = [0, 2_500, 2_500, 10_000, 10_000, 125_000] as const;
const BESIDE_MS = [10_000, 40_000] as const;

/** A folder that is copied too early while a validator is moved. */
const MOVED_RATE = 0.3;
const MOVED_MS_MAX = 10_000;
const RESTART_MS_MAX = 4_000;
/** Both dial the others again and again, and the newest link replaces the one before. */
const LINK_TURN_MS = [500, 4_000] as const;

export const NOT_WHILE_COPYING = [
  'loss',
  'tail',
  'clog',
  'partition',
  'disk',
  'clock',
  'staleTwin',
  'restoredBackup',
  'fullDisk',
  'slowMinority',
  'lateReturn',
] as const;

export interface CopiedDisk {
  readonly index: number;
  readonly copiedAtMs: number;
  readonly startsAtMs: number;
  /** Which of the two processes others have a link with: both of them, the one that was there, or each in turn, the newest link first. */
  readonly linked: 'both' | 'original' | 'turns';
  readonly linkTurnMs: number;
  /** Whether the second process fetches one old cut at a time: cuts are made while it catches up. */
  readonly syncsSlowly: boolean;
  /** How long after the start of the second process the first one is stopped, where it is. */
  readonly originalEndsMs: number | undefined;
}

interface CopyablePlan {
  readonly seed: number;
  readonly validators: number;
  readonly byzantine: ReadonlyMap<number, ActorName>;
  readonly turnMs: number;
  readonly restartMsMax: number;
}

export function copiesDisk(seed: number): boolean {
  return new Random(seed, COPYING_STREAM).chance(COPYING_RATE);
}

/** As many liars stay as leave room for the validator whose disk is copied; undefined if there is none for it. */
export function withCopiedDisk<Plan extends CopyablePlan>(
  plan: Plan,
  isMinority: (members: ReadonlySet<number>) => boolean,
  safetyMsMax: number | undefined,
) {
  const random = new Random(plan.seed, COPYING_STREAM + 1);
  const honest = [...Array(plan.validators).keys()].filter((index) => !plan.byzantine.has(index));
  const index = random.shuffled(honest).find((one) => isMinority(new Set([one])));
  if (index === undefined) return undefined;
  const byzantine = new Map<number, ActorName>();
  for (const [liar, name] of plan.byzantine)
    if (isMinority(new Set([index, ...byzantine.keys(), liar]))) byzantine.set(liar, name);
  const copiedAtMs = random.between(...COPIED_AT_MS);
  const startsAtMs = copiedAtMs + random.unit() * random.pick(AGES_MS_MAX);
  const safetyMs = startsAtMs + random.between(...BESIDE_MS);
  return {
    ...plan,
    byzantine,
    copied: {
      index,
      copiedAtMs,
      startsAtMs,
      linked: random.pick(['both', 'original', 'turns', 'turns'] as const),
      linkTurnMs: random.between(...LINK_TURN_MS),
      syncsSlowly: random.chance(0.5),
      originalEndsMs: random.chance(MOVED_RATE) ? random.between(0, MOVED_MS_MAX) : undefined,
    },
    turnMs: byzantine.size === 0 ? 0 : plan.turnMs,
    restartMsMax: Math.min(plan.restartMsMax, RESTART_MS_MAX),
    safetyMs: Math.min(safetyMs, safetyMsMax ?? safetyMs),
  };
}
