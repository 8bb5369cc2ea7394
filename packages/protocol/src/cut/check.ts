/**
 * Checks that the decoders and encoders of cuts share.
 */
import type { ErrorCode } from '../base/error-codes.ts';
import { SvcError } from '../base/svc-error.ts';

/** Refuses, with the path of the field, when a rule does not hold. */
export function expectThat(
  holds: boolean,
  code: ErrorCode,
  message: string,
  path: string,
): asserts holds {
  if (!holds) throw new SvcError(code, message, { path });
}

export function expectAtMost(value: number, most: number, path: string): number {
  expectThat(value <= most, 'out_of_range', `expected at most ${most}, found ${value}`, path);
  return value;
}
