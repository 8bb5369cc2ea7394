/**
 * Flags of commands that read the configuration: made from the settings, and turned back into them.
 */
import { type Command, Option } from 'commander';
import { CliError, EXIT } from 'svc-base/cli';
import type { FlagValues } from '../config/layers.ts';
import type { Setting } from '../config/setting.ts';
import { SETTING_PATHS, SETTINGS, type SettingPath } from '../config/settings.ts';

/** Collects an option that may be given several times. */
export function repeated(item: string, items: readonly string[] | undefined): string[] {
  return [...(items ?? []), item];
}

/** What a command that only opens the data directory needs to know. */
export const STORE_SETTINGS: readonly SettingPath[] = [
  'network',
  'data_dir',
  'genesis',
  'recovery',
];

export function addConfigOptions(
  command: Command,
  paths: readonly SettingPath[] = SETTING_PATHS,
): Command {
  command.option('--config <file>', 'the configuration; node.json in the data directory if absent');
  return addSettingOptions(command, paths);
}

/** Help shows `defaults` instead of the defaults of the settings. */
export function addSettingOptions(
  command: Command,
  paths: readonly SettingPath[],
  defaults: Partial<Record<SettingPath, string>> = {},
): Command {
  for (const path of paths) {
    const option = optionOf(path, defaults[path]);
    if (option !== null) command.addOption(option);
  }
  return command;
}

/** The log of a development network, unless it is set: it is not to drown what the network tells people. */
export const DEV_LOG_FILTER = 'warn';

export type CommandOptions = Readonly<Record<string, unknown>>;

export function flagsOf(options: CommandOptions): FlagValues {
  const flags = new Map<SettingPath, string | boolean | readonly string[]>();
  for (const path of SETTING_PATHS) {
    const option = optionOf(path);
    const found = option === null ? undefined : options[option.attributeName()];
    // The parser says true for a flag `--no-…` that was not given.
    if (found === undefined || (option?.negate === true && found === true)) continue;
    flags.set(path, found as string | boolean | readonly string[]);
  }
  return flags;
}

/** Defaults stand in the help text only, so that a flag that was not given never hides a variable. */
function optionOf(path: SettingPath, told?: string): Option | null {
  const { flag, about, kind, default: value } = SETTINGS[path] as Setting<unknown>;
  if (flag === null) return null;
  const option = new Option(flag, describe(about, told ?? value));
  if (kind.type === 'choice') option.choices([...kind.values]);
  if (kind.type !== 'list') return option;
  return option.argParser<string[]>((item, items) => [...(items ?? []), item]);
}

function describe(about: string, value: unknown): string {
  const text = about.replace(/^[A-Z](?=[a-z ])/, (first) => first.toLowerCase()).replace(/\.$/, '');
  const isTold = typeof value === 'string' || typeof value === 'number';
  return isTold ? `${text} (default: ${value})` : text;
}

/** A whole number within limits, as the text of an option. */
export function wholeNumber(
  text: string,
  option: string,
  [min, max]: readonly [number, number],
): number {
  const found = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (found >= min && found <= max) return found;
  throw new CliError(
    EXIT.usage,
    `${option}: expected a whole number from ${min} to ${max}, found ${text}`,
  );
}
