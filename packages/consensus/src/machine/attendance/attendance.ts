/**
 * Attendance: an epoch is divided into windows, and a member was present in a window if enough
 * headers of that window name it as a signer. The epoch's first header speaks about the epoch
 * before and does not count.
 */
import type { Bitmap, Height, ValidatorIndex } from '../base/types.ts';
import { isBitSet } from '../base/validator-set.ts';

export interface AttendanceRule {
  readonly windows: number;
  readonly cutsPerWindow: number;
  /** Headers per window that must name a member. */
  readonly signaturesMin: number;
  /** Windows a member must have been present in. */
  readonly windowsMin: number;
}

export const ATTENDANCE_RULE: AttendanceRule = {
  windows: 12,
  cutsPerWindow: 2880,
  signaturesMin: 1,
  windowsMin: 9,
};

export interface Attendance {
  readonly epochStart: Height;
  /** Headers that named the member, by window and member. */
  readonly counts: readonly (readonly number[])[];
}

export function startAttendance(
  rule: AttendanceRule,
  epochStart: Height,
  members: number,
): Attendance {
  const counts = Array.from({ length: rule.windows }, () => new Array<number>(members).fill(0));
  return { epochStart, counts };
}

export function windowOf(rule: AttendanceRule, epochStart: Height, height: Height): number {
  return Math.floor((height - epochStart) / rule.cutsPerWindow);
}

/** Credits the signers that the header of `height` names. */
export function creditSigners(
  rule: AttendanceRule,
  attendance: Attendance,
  height: Height,
  signers: Bitmap,
): Attendance {
  if (height <= attendance.epochStart) return attendance;
  const window = windowOf(rule, attendance.epochStart, height);
  if (window >= rule.windows) return attendance;
  const counts = attendance.counts.map((row, at) =>
    at === window ? row.map((count, index) => count + (isBitSet(signers, index) ? 1 : 0)) : row,
  );
  return { ...attendance, counts };
}

export function windowsPresent(
  rule: AttendanceRule,
  attendance: Attendance,
  index: ValidatorIndex,
): number {
  return attendance.counts.filter((row) => (row[index] ?? 0) >= rule.signaturesMin).length;
}

export function hasAttended(
  rule: AttendanceRule,
  attendance: Attendance,
  index: ValidatorIndex,
): boolean {
  return windowsPresent(rule, attendance, index) >= rule.windowsMin;
}
