/**
 * Which time a cut may state. The lower bound is chain data and judged by everybody alike; the
 * comparison with the local clock is made for fresh proposals only: on a cut proposed again its
 * time is settled, and a clock that is off costs a round, not agreement.
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

/** The tolerance for slow messages grows with the round, so bad parameters cannot stop the chain. */
export function isTimely(
  timing: Timing,
  round: Round,
  cutTimeMs: bigint,
  receivedAtMs: bigint,
): boolean {
  const delayMs = timing.proposalDelayMs + timing.proposalDelayPerRoundMs * BigInt(round);
  const earliest = receivedAtMs - delayMs - timing.clockPrecisionMs;
  const latest = receivedAtMs + timing.clockPrecisionMs;
  return earliest <= cutTimeMs && cutTimeMs <= latest;
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
