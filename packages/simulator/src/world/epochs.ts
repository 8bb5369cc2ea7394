/**
 * How long epochs, eligibility spans and attendance windows are. Most simulations shorten them, so
 * that sets change while faults happen.
 */
import type { AttendanceRule, Height } from 'svc-consensus/machine';
import { ATTENDANCE_RULE, ELIGIBILITY_CUTS, EPOCH_CUTS } from 'svc-consensus/machine';

export interface EpochRules {
  readonly cuts: number;
  readonly eligibilityCuts: number;
  readonly attendance: AttendanceRule;
}

export const SHORT_EPOCHS: EpochRules = {
  cuts: 4,
  eligibilityCuts: 1,
  attendance: { windows: 2, cutsPerWindow: 2, signaturesMin: 1, windowsMin: 2 },
};

export const REAL_EPOCHS: EpochRules = {
  cuts: EPOCH_CUTS,
  eligibilityCuts: ELIGIBILITY_CUTS,
  attendance: ATTENDANCE_RULE,
};

export function epochOf(rules: EpochRules, height: number): number {
  return Math.floor((height - 1) / rules.cuts);
}

export function epochStartOf(rules: EpochRules, epoch: number): Height {
  return (epoch * rules.cuts + 1) as Height;
}
