/**
 * Logs which cuts this validator did not sign and why, and sums up each attendance window.
 */
import { isBitSet } from 'svc-consensus/machine';
import { ATTENDANCE_WINDOWS, attendanceWindowOf, epochOf } from 'svc-ledger';
import type { Driver } from '../driver.ts';
import type { FinalCut } from '../ports/chain.ts';
import { SIGNED_LATE } from './height-history.ts';

export interface WindowCount {
  readonly epoch: number;
  readonly window: number;
  cuts: number;
  signed: number;
}

/** If the validator misses every cut, this is logged once in so many cuts. */
const REPEATED_CUTS = 100;

export class AttendanceLog {
  readonly #driver: Driver;
  #count: WindowCount | undefined;
  #reasons = new Map<string, number>();
  #missedInRow = 0;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  /** The window in progress. */
  get current(): WindowCount | undefined {
    return this.#count;
  }

  /** A cut names the signers of the one before it. */
  record({ height, header }: FinalCut): void {
    const { interval } = this.#driver.ports.chain;
    const signedHeight = height - 1;
    const count = this.#windowOf(epochOf(height, interval), attendanceWindowOf(height, interval));
    const index = signedHeight === 0 ? undefined : this.#driver.ownIndexAt(signedHeight);
    if (index === undefined) return;
    count.cuts += 1;
    if (isBitSet(header.previousSigners, index)) {
      count.signed += 1;
      this.#missedInRow = 0;
      return;
    }
    this.#miss(signedHeight);
  }

  #miss(height: number): void {
    const { log } = this.#driver.ports;
    const reason = this.#driver.diary.reason(height);
    this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
    this.#missedInRow += 1;
    const isRepeated = this.#missedInRow > 1 && this.#missedInRow % REPEATED_CUTS !== 0;
    if (isRepeated) log.debug({ height, reason }, 'missed a cut');
    else if (reason === SIGNED_LATE) log.info({ height, reason }, 'missed a cut');
    else log.warn({ height, reason }, 'missed a cut');
  }

  #windowOf(epoch: number, window: number): WindowCount {
    const count = this.#count;
    if (count?.epoch === epoch && count.window === window) return count;
    if (count !== undefined && count.cuts > 0) this.#sumUp(count);
    this.#count = { epoch, window, cuts: 0, signed: 0 };
    this.#reasons = new Map();
    return this.#count;
  }

  #sumUp({ epoch, window, cuts, signed }: WindowCount): void {
    const reasons = [...this.#reasons].map(([reason, times]) => `${reason}: ${times}`).join('; ');
    const fields = {
      epoch,
      window: window + 1,
      windows: ATTENDANCE_WINDOWS,
      cuts,
      signed,
      missed: cuts - signed,
      ...(reasons === '' ? {} : { reasons }),
    };
    const { log } = this.#driver.ports;
    if (signed === 0) log.warn(fields, 'absent in an attendance window');
    else log.info(fields, 'present in an attendance window');
  }
}
