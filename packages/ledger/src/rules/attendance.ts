/**
 * Attendance. A cut names the signers of the cut before it. A member is present in one of the epoch's
 * twelve windows if a cut of that window names it; nine windows earn the interval's reward.
 */
import { invariant } from '../assertion.ts';
import type { CutContext } from '../context.ts';
import {
  ATTENDANCE_SIGNATURES_MIN,
  ATTENDANCE_WINDOWS,
  ATTENDANCE_WINDOWS_MIN,
  attendanceWindowOf,
  setStart,
} from '../parameters.ts';
import type { Attendance } from '../records.ts';

export const NEVER_PRESENT: Attendance = { signatures: 0, windows: 0 };

/** Credits the signers of the cut before. The first cut of a set names those of the set before. */
export function creditSigners(context: CutContext, previousSigners: bigint): void {
  const { height, epochRecord, parameters } = context;
  const { interval } = parameters;
  if (height === setStart(parameters, height)) return;
  invariant(
    previousSigners >= 0n && previousSigners >> BigInt(epochRecord.members.length) === 0n,
    'a signer is outside the validator set',
  );
  const window = attendanceWindowOf(height, interval);
  const opens = window !== attendanceWindowOf(height - 1, interval);
  const attendance = epochRecord.attendance.map((seen, index) => {
    const before = opens ? 0 : seen.signatures;
    if (((previousSigners >> BigInt(index)) & 1n) === 0n) return { ...seen, signatures: before };
    const signatures = before + 1;
    const here = signatures >= ATTENDANCE_SIGNATURES_MIN ? 1 << window : 0;
    return { signatures, windows: seen.windows | here };
  });
  context.epochRecord = { ...epochRecord, attendance };
}

export function windowsPresent({ windows }: Attendance): number {
  let count = 0;
  for (let window = 0; window < ATTENDANCE_WINDOWS; window++) count += (windows >> window) & 1;
  return count;
}

export function isPresentEnough(attendance: Attendance): boolean {
  return windowsPresent(attendance) >= ATTENDANCE_WINDOWS_MIN;
}
