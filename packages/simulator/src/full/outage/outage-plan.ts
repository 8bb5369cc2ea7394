/**
 * What a seed decides about an outage: for how long all processes are down at once, and the network that has to catch
 * up with its own clock afterwards. Its cuts follow each other quickly and its epochs are short; checking a proof of work takes
 * a part of the time between two cuts, as it does where several processes share a machine.
 */
import { Random } from '../../base/random.ts';
import type { Plan } from '../../plan/plan.ts';
import type { ProofCosts } from './proof-queue.ts';

/** Power goes at the moment when so many precommits for a cut have been signed at this height. */
export interface PowerCut {
  readonly height: number;
  readonly precommits: number;
}

export interface OutagePlan extends ProofCosts {
  /** Between the power cut and the first process that starts again. */
  readonly awayMs: number;
  readonly paceMs: number;
}

/** Of seeds with peers: three epochs follow the outage, which take a multiple of the time of other seeds. */
const OUTAGE_RATE = 0.02;
/** The debt of the shortest lasts for all epochs that are looked at. */
const AWAY_MS_MIN = 20_000;
const AWAY_MS_MAX = 60_000;
const PACE_MS = 200;
/** Of messages: all processes are on one machine. */
const DELAY_MEAN_MS_MAX = 10;
/** Miners find one block in a cut on average: at its pace a process is busy for at most 95 % of the time. */
const PROOF_MS_MIN = 30;
const PROOF_MS_MAX = 50;
const CUT_MS_MIN = 110;
const CUT_MS_MAX = 140;
const POWER_CUT: PowerCut = { height: 4, precommits: 1 };
/** The power cut comes before, and all processes are back after so long. */
const AROUND_MS = 6_000;

type OutageChanges = Pick<Plan, 'safetyMs' | 'delayMsMin' | 'delayMeanMs'> & {
  readonly outage: OutagePlan;
  readonly powerCut: PowerCut;
};

/** What an outage changes in a plan with peers, if there is one. */
export function drawOutage(
  { seed }: Pick<Plan, 'seed'>,
  isForced: boolean,
): OutageChanges | undefined {
  const random = new Random(seed, 15);
  const isOn = random.chance(OUTAGE_RATE) || isForced;
  const awayMs = random.between(AWAY_MS_MIN, AWAY_MS_MAX);
  const proofMs = random.between(PROOF_MS_MIN, PROOF_MS_MAX);
  const cutMs = random.between(CUT_MS_MIN, CUT_MS_MAX);
  const delayMeanMs = random.between(0, DELAY_MEAN_MS_MAX);
  if (!isOn) return undefined;
  return {
    outage: { awayMs, paceMs: PACE_MS, proofMs, cutMs },
    powerCut: POWER_CUT,
    delayMsMin: 0,
    delayMeanMs,
    safetyMs: awayMs + AROUND_MS,
  };
}
