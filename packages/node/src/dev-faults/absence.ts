/**
 * A validator of a development network that is away for whole attendance windows.
 */
import { attendanceWindowOf, epochOf } from 'svc-ledger';
import type { Network } from 'svc-wasm/base';
import type { DriverFaults } from '../validator/driver-faults.ts';

export interface AbsenceOptions {
  readonly network: Network;
  /** Cuts of an epoch. */
  readonly interval: number;
  /** Windows count from 0. */
  readonly isAbsentIn: (epoch: number, window: number) => boolean;
}

export function createAbsence({ network, interval, isAbsentIn }: AbsenceOptions): DriverFaults {
  if (network !== 'development') throw new Error('absence is for the development network');
  return {
    isAbsent: (height) =>
      isAbsentIn(epochOf(height, interval), attendanceWindowOf(height, interval)),
  };
}
