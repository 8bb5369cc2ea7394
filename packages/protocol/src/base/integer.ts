/**
 * Integers that callers pass as numbers: places in lists, paths of derivation, sizes. Amounts and
 * what the protocol counts are decimal strings or bigints instead.
 */
import { kindOf } from './kind-of.ts';
import { SvcError } from './svc-error.ts';

/** Refuses everything but an integer from `min` to `max`, and returns it; never minus zero. */
export function expectInteger(value: unknown, path: string, min: number, max: number): number {
  if (typeof value !== 'number') {
    throw new SvcError('bad_type', `expected a number, found ${kindOf(value)}`, { path });
  }
  if (Number.isInteger(value) && value >= min && value <= max) return value === 0 ? 0 : value;
  throw new SvcError('out_of_range', `expected an integer from ${min} to ${max}, found ${value}`, {
    path,
  });
}
