/**
 * The value of `--cut-time`.
 */
import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';

const MILLIS_MIN = 50;
const MILLIS_MAX = 60_000;

export function parseCutTime(text: string): number | 'auto' | 'manual' {
  if (text === 'auto' || text === 'manual') return text;
  const [, count, unit] = /^([0-9]{1,6}(?:\.[0-9]{1,3})?)(ms|s)$/.exec(text) ?? [];
  const millis = Number(count) * (unit === 's' ? 1_000 : 1);
  if (Number.isInteger(millis) && millis >= MILLIS_MIN && millis <= MILLIS_MAX) return millis;
  throw new CliError(
    EXIT.usage,
    `--cut-time: expected auto, manual or a time from ${MILLIS_MIN}ms to ${MILLIS_MAX / 1_000}s, found ${text}`,
  );
}
