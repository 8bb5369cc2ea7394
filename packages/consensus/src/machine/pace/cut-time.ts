/**
 * Which time a cut may state. The lower bound is chain data and the same for all. The comparison with the local clock
 * is made for fresh proposals only: the time of a re-proposed cut is settled. Wrong clocks cost rounds, not
 * agreement.
 */
import type { Timing } from '../base/timing.ts';
import type { Height, Round } from '../base/types.ts';
import type { Pace } from './pace.ts';
import { startAt } from './pace.ts';

/** Part of a cut's validity: the same answer on every node and at any later time. */
export function isTimeAllowed(
  timing: Timing,
  pace: Pace,
  height: Height,
  previousTimeMs: bigint,
  cutTimeMs: bigint,
): boolean {
  return cutTimeMs >= startAt(timing, pace, height, previousTimeMs);
}

/**
 * Both bounds grow with the round. The lower one grows without end, so neither slow messages nor different clocks
 * stop the chain: proposals of the honest validator with the slowest clock pass in the end. The upper one lets
 * proposals of fast clocks pass too, so that rounds do not wait for slow ones; it ends well below what light clients
 * accept. The height after a cut that is ahead of a clock starts later by that clock, at most by `cutTimeAheadMsMax`,
 * and by `clockPrecisionMs` after a first round.
 */
export function isTimely(
  timing: Timing,
  round: Round,
  cutTimeMs: bigint,
  receivedAtMs: bigint,
): boolean {
  const { clockPrecisionMs, proposalDelayMs, cutTimePerRoundMs, cutTimeAheadMsMax } = timing;
  const precisionMs = clockPrecisionMs + cutTimePerRoundMs * BigInt(round);
  const aheadMs = precisionMs < cutTimeAheadMsMax ? precisionMs : cutTimeAheadMsMax;
  const earliest = receivedAtMs - proposalDelayMs - precisionMs;
  return earliest <= cutTimeMs && cutTimeMs <= receivedAtMs + aheadMs;
}

/** The time an honest proposer states. */
export function proposedTime(
  timing: Timing,
  pace: Pace,
  height: Height,
  previousTimeMs: bigint,
  nowMs: bigint,
): bigint {
  const start = startAt(timing, pace, height, previousTimeMs);
  return nowMs > start ? nowMs : start;
}
