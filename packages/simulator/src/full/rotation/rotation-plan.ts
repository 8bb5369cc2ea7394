/**
 * What a seed decides about the rotation of a consensus key: whose it is and when its operator sends it. Whoever rotates
 * has so much stake that no cut is decided without its signature: a height that the rotation costs stops the chain.
 */
import { Random } from '../../base/random.ts';
import type { Plan } from '../../plan/plan.ts';

export interface RotationPlan {
  readonly validator: number;
  /** When the operator sends the transaction. */
  readonly fromMs: number;
}

/** What of a plan decides about a rotation. */
export interface RotatablePlan extends Pick<Plan, 'seed' | 'validators' | 'stakes' | 'safetyMs'> {
  readonly gone: ReadonlySet<number>;
  readonly diskLost: ReadonlySet<number>;
  readonly withholders: ReadonlySet<number>;
}

/** Of seeds with peers: a rotation spans three epochs, which take a multiple of the time of other seeds. */
const ROTATION_RATE = 0.05;
const FROM_MS_MAX = 6_000;
/** Some networks heal before the key changes, and some after. */
const SAFETY_MS_MIN = 20_000;
const SAFETY_MS_MAX = 80_000;

/** What a rotation changes in a plan with peers, if there is one. */
export function drawRotation(
  plan: RotatablePlan,
  isForced: boolean,
): (Pick<Plan, 'stakes' | 'safetyMs'> & { readonly rotation: RotationPlan }) | undefined {
  const random = new Random(plan.seed, 13);
  const isOn = random.chance(ROTATION_RATE) || isForced;
  const { gone, diskLost, withholders, validators, stakes } = plan;
  const failing = new Set([...gone, ...diskLost, ...withholders]);
  const [first = []] = stakes;
  const possible = [...Array(validators).keys()].filter((index) => !failing.has(index));
  const validator = random.pick(possible);
  const fromMs = random.between(0, FROM_MS_MAX);
  const safetyMs = random.between(SAFETY_MS_MIN, SAFETY_MS_MAX);
  const sum = (indexes: Iterable<number>) =>
    [...indexes].reduce((total, index) => total + (first[index] as bigint), 0n);
  const others = sum(first.keys()) - (first[validator] as bigint);
  // Members that lapse or are jailed leave the committee; whoever fails stays below a third of what is left of it.
  if (!isOn || 2n * sum(failing) >= others) return undefined;
  const withVeto = first.map((stake, index) => (index === validator ? others : stake));
  return { stakes: [withVeto], safetyMs, rotation: { validator, fromMs } };
}
