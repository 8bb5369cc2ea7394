/**
 * Which time a cut may state. The lower bound is chain data and judged by everybody alike; the
 * comparison with the local clock is made for fresh proposals only: on a cut proposed again its
 * time is settled, and clocks that are off cost rounds, not agreement.
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
 * Both bounds grow with the round. The lower one has no end, so neither slow messages nor clocks that are apart stop the
 * chain: proposals of the honest validator whose clock is last pass in the end. The upper one lets others pass too, so
 * that nobody waits for its turn; it ends well below what light clients take. The height after a cut that is ahead of a
 * clock starts later by that clock, at most by `cutTimeAheadMsMax`, and by `clockPrecisionMs` after a first round.
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
