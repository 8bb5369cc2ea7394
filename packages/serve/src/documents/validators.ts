/**
 * Validators as documents show them.
 */
import type { Attendance as AttendanceDocument, Removal, ValidatorSummary } from 'svc-api';
import {
  ATTENDANCE_WINDOWS,
  type Attendance,
  type EpochRecord,
  livenessOf,
  type ValidatorRecord,
  windowsPresent,
} from 'svc-ledger';

export interface ValidatorRow {
  readonly id: string;
  readonly validator: ValidatorRecord;
}

export function attendanceDocument(epoch: number, attendance: Attendance): AttendanceDocument {
  return {
    epoch,
    windows: Array.from(
      { length: ATTENDANCE_WINDOWS },
      (_, window) => ((attendance.windows >> window) & 1) === 1,
    ),
    present: windowsPresent(attendance),
  };
}

/** The attendance of a member in a running or past epoch. */
export function attendanceIn(record: EpochRecord, validatorId: string): AttendanceDocument | null {
  const place = record.members.findIndex((member) => member.validatorId === validatorId);
  const attendance = record.attendance[place];
  return attendance === undefined ? null : attendanceDocument(record.epoch, attendance);
}

export function validatorSummary(
  { id, validator }: ValidatorRow,
  epoch: EpochRecord,
): ValidatorSummary {
  const { pendingCommission } = validator;
  const attendance = attendanceIn(epoch, id);
  return {
    validator: id,
    state: livenessOf(validator, epoch.epoch),
    committee: attendance !== null,
    stake: String(validator.stake),
    commission_bps: validator.commissionBps,
    pending_commission:
      pendingCommission === null
        ? null
        : { commission_bps: pendingCommission.value, from_epoch: pendingCommission.epoch },
    heartbeat_epoch: validator.heartbeatEpoch,
    registered_epoch: validator.registeredEpoch,
    eligible_from_epoch: validator.eligibleFromEpoch,
    jailed_until_epoch: validator.jailedUntilEpoch,
    attendance,
    removal: removalOf(validator),
  };
}

/** Null unless it was removed. */
export function removalOf(validator: ValidatorRecord): Removal | null {
  const { status, removedHeight: height, removalBurned } = validator;
  if (status !== 'removed') return null;
  return { height, reason: 'equivocation', burned: String(removalBurned) };
}

/** Orders the most stake first, and the lower id first at equal stake. */
export function compareByStake(a: ValidatorRow, b: ValidatorRow): number {
  if (a.validator.stake !== b.validator.stake)
    return a.validator.stake > b.validator.stake ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
