/**
 * Settings from the environment and from flags.
 */

import { ConfigError } from 'svc-base/node';
import { acceptText, acceptValue } from './check-value.ts';
import type { Given, Layer } from './layer.ts';
import { nearest } from './nearest.ts';
import {
  environmentNames,
  flagName,
  SETTING_PATHS,
  SETTINGS,
  type SettingPath,
} from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
/** Flags as the command line gives them: text, true, or a list of texts. */
export type FlagValues = ReadonlyMap<SettingPath, string | boolean | readonly string[]>;

/** Names a node reads that are not settings of it. */
const OTHER_NAMES = ['SVC_CONFIG'];

export function environmentLayer(environment: Environment): Layer {
  const layer = new Map<SettingPath, Given>();
  for (const path of SETTING_PATHS) {
    const name = environmentNames(path).find((variable) => (environment[variable] ?? '') !== '');
    if (name === undefined) continue;
    const accepted = acceptText(SETTINGS[path].kind, environment[name] as string);
    if ('problem' in accepted) throw new ConfigError(name, path, accepted.problem);
    layer.set(path, { value: accepted.value, origin: name });
  }
  return layer;
}

/** Variables that look like settings and are none; most are typing errors. */
export function unknownVariables(environment: Environment): string[] {
  const known = [...SETTING_PATHS.flatMap(environmentNames), ...OTHER_NAMES];
  return Object.keys(environment)
    .filter((name) => name.startsWith('SVC_') && !known.includes(name))
    .flatMap((name) => {
      const meant = nearest(name, known);
      return meant === null ? [] : [`${name} is not a setting; did you mean ${meant}?`];
    });
}

export function flagLayer(flags: FlagValues): Layer {
  const layer = new Map<SettingPath, Given>();
  for (const [path, found] of flags) {
    const { kind } = SETTINGS[path];
    const origin = flagName(path) ?? path;
    const accepted = typeof found === 'string' ? acceptText(kind, found) : acceptValue(kind, found);
    if ('problem' in accepted) throw new ConfigError(origin, '', accepted.problem);
    layer.set(path, { value: accepted.value, origin });
  }
  return layer;
}
