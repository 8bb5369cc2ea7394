/**
 * The time at which a chain begins, as people give it: an instant in UTC, or how long from now.
 */
import { CliError, EXIT } from 'svc-base/cli';

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/;
const AHEAD = /^\+([1-9][0-9]{0,5})(s|m|h|d)$/;
const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const EXAMPLES = 'such as 2027-01-31T12:00:00Z, or +15m for a quarter of an hour from now';

/** Milliseconds since 1970; refuses what is not in the future. */
export function parseStartTime(text: string | undefined, nowMillis: number): number {
  if (text === undefined) {
    throw new CliError(EXIT.usage, `--start: the time at which the chain begins, ${EXAMPLES}`, {
      hint: 'give every validator time to fetch the document and to start; who starts later joins then',
    });
  }
  const millis = millisOf(text, nowMillis);
  if (millis === undefined || Number.isNaN(millis))
    throw new CliError(EXIT.usage, `--start: expected a time, ${EXAMPLES}, found ${text}`);
  if (millis <= nowMillis)
    throw new CliError(EXIT.usage, `--start: expected a time in the future, found ${text}`);
  return millis;
}

function millisOf(text: string, nowMillis: number): number | undefined {
  if (INSTANT.test(text)) return Date.parse(text);
  const [, count, unit] = AHEAD.exec(text) ?? [];
  if (unit === undefined) return undefined;
  return nowMillis + Number(count) * UNITS[unit as keyof typeof UNITS];
}
