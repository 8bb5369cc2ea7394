/**
 * The emission from the first day to the last, computed as the ledger does: each day issues three thousandths of what is
 * still to come, and carries what the division leaves.
 */
const TO_COME = 180_000_000n * 100_000_000n;
const THOUSANDTHS = 3n;
export const LAST_DAY = 12_650;

export interface EmissionDay {
  readonly day: number;
  /** Issued up to the end of the day, in atoms. */
  readonly issued: bigint;
}

/** Every `step` days, and the last. */
export function emissionCurve(step: number): EmissionDay[] {
  const days: EmissionDay[] = [{ day: 0, issued: 0n }];
  let left = TO_COME;
  let carry = 0n;
  for (let day = 1; day <= LAST_DAY; day++) {
    const shares = left * THOUSANDTHS + carry;
    const amount = day === LAST_DAY ? left : shares / 1_000n;
    carry = shares % 1_000n;
    left -= amount;
    if (day % step === 0 || day === LAST_DAY) days.push({ day, issued: TO_COME - left });
  }
  return days;
}
