/**
 * Values of options, strictly read.
 */
import { CliError, EXIT } from 'svc-base/cli';

export type CommandOptions = Readonly<Record<string, unknown>>;

export function textOf(options: CommandOptions, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** A parser for commander: a whole number between two others. */
export function whole(flag: string, min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^(0|[1-9][0-9]{0,15})$/.test(text) && value >= min && value <= max) return value;
    throw usage(`${flag}: expected a whole number from ${min} to ${max}, found ${text}`);
  };
}

const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const MOMENT =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,3})?)?(Z|[+-][0-9]{2}:[0-9]{2})$/;
const DAY_MILLIS = 86_400_000;

/** A moment in milliseconds: that of RFC 3339, or the begin or the end of a day in UTC. */
export function momentOf(flag: string, edge: 'begin' | 'end'): (text: string) => number {
  return (text) => {
    const isDay = DAY.test(text);
    const millis = isDay || MOMENT.test(text) ? Date.parse(text) : Number.NaN;
    // The platform takes the 31st of a shorter month for a day of the next one.
    const isReal =
      !isDay || (!Number.isNaN(millis) && new Date(millis).toISOString().startsWith(text));
    if (Number.isNaN(millis) || millis < 0 || !isReal)
      throw usage(`${flag}: expected 2026-11-30 or 2026-11-30T18:00:00Z, found ${text}`);
    return isDay && edge === 'end' ? millis + DAY_MILLIS : millis;
  };
}

export function usage(message: string, hint?: string): CliError {
  return new CliError(EXIT.usage, message, hint === undefined ? {} : { hint });
}

/** Collects an option that may be given several times. */
export function repeated(item: string, items: readonly string[] | undefined): string[] {
  return [...(items ?? []), item];
}
