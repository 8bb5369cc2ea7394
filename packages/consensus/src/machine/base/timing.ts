/**
 * Timeouts of a validator, in milliseconds. Timers are effects; this gives their lengths only.
 */
import { CLOCK_DRIFT_MS_MAX } from 'svc-wasm/protocol';
import { assertInvariant } from './assertion.ts';
import type { Round } from './types.ts';

export interface Timing {
  readonly proposeMs: number;
  readonly voteMs: number;
  readonly perRoundMs: number;
  /** Without progress for this long, a summary goes to a few neighbours. */
  readonly antiEntropyMs: number;
  readonly paceMs: bigint;
  /** Cuts are at least this far apart, also while lateness is being made up. */
  readonly gapMs: bigint;
  /** Debt beyond this is forgiven, so a long outage is not replayed. */
  readonly debtMsMax: bigint;
  readonly clockPrecisionMs: bigint;
  readonly proposalDelayMs: bigint;
  /** By how much more a cut's time may differ from the clock here in each further round, either way. */
  readonly cutTimePerRoundMs: bigint;
  /** The most that a cut's time may be ahead of the clock here, whatever the round. */
  readonly cutTimeAheadMsMax: bigint;
}

export const TIMING: Timing = {
  proposeMs: 1000,
  voteMs: 700,
  perRoundMs: 300,
  antiEntropyMs: 300,
  paceMs: 2500n,
  gapMs: 1000n,
  debtMsMax: 600_000n,
  clockPrecisionMs: 500n,
  proposalDelayMs: 2000n,
  cutTimePerRoundMs: 1000n,
  cutTimeAheadMsMax: 5000n,
};

/** A lost vote needs one anti-entropy period and two message delays to arrive after all. */
assertInvariant(TIMING.voteMs > 2 * TIMING.antiEntropyMs, 'votes can be repaired before timeouts');
/** A client whose clock is behind by as much as a cut may be ahead of the voters' clocks still accepts its header. */
assertInvariant(
  2n * TIMING.cutTimeAheadMsMax <= CLOCK_DRIFT_MS_MAX,
  'light clients take the headers that validators vote for',
);

export type RoundTimer = 'propose' | 'prevote' | 'precommit';

export function roundTimerMs(timing: Timing, timer: RoundTimer, round: Round): number {
  const base = timer === 'propose' ? timing.proposeMs : timing.voteMs;
  return base + timing.perRoundMs * round;
}
