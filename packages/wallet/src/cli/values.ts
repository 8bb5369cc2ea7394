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

export function usage(message: string, hint?: string): CliError {
  return new CliError(EXIT.usage, message, hint === undefined ? {} : { hint });
}

/** Collects an option that may be given several times. */
export function repeated(item: string, items: readonly string[] | undefined): string[] {
  return [...(items ?? []), item];
}
