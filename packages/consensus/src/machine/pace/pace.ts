/**
 * When a cut may start, from chain data alone: on average one every `paceMs`. A slow cut leaves a
 * debt that is repaid at the smallest allowed distance; debt beyond a limit is forgiven, so that a
 * long outage is not replayed at speed.
 */
import type { Timing } from '../base/timing.ts';
import type { Height } from '../base/types.ts';

/** The part of the chain's state that the pace depends on. */
export interface Pace {
  /** The time at which height 0 was due. */
  readonly baseMs: bigint;
}

export function dueAt(timing: Timing, pace: Pace, height: Height): bigint {
  return pace.baseMs + timing.paceMs * BigInt(height);
}

/** The earliest time of cut `height`, given the time of the cut before it. */
export function startAt(
  timing: Timing,
  pace: Pace,
  height: Height,
  previousTimeMs: bigint,
): bigint {
  const due = dueAt(timing, pace, height);
  const spaced = previousTimeMs + timing.gapMs;
  if (due > spaced) return due;
  return spaced;
}

/** The pace after a cut was executed: debt beyond the limit moves the base. */
export function paceAfter(timing: Timing, pace: Pace, height: Height, cutTimeMs: bigint): Pace {
  const excess = cutTimeMs - dueAt(timing, pace, height) - timing.debtMsMax;
  return excess > 0n ? { baseMs: pace.baseMs + excess } : pace;
}
