/**
 * Brings the sources together: flags over the environment over `node.json` over defaults.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type Environment,
  environmentLayer,
  type FlagValues,
  flagLayer,
  type Layer,
  readConfigFile,
  Settings,
  unknownVariables,
} from './layers.ts';
import { type ResolvedConfig, resolveConfig, type Surroundings } from './resolve.ts';

export interface ConfigSources extends Surroundings {
  readonly flags: FlagValues;
  readonly environment: Environment;
  /**
   * From `--config`; if null `SVC_CONFIG`, otherwise `node.json` in the data directory if it is there. False
   * for no file at all.
   */
  readonly file: string | false | null;
}

export interface LoadedConfig extends ResolvedConfig {
  readonly settings: Settings;
}

export function loadConfig(sources: ConfigSources): LoadedConfig {
  const flags = flagLayer(sources.flags);
  const environment = environmentLayer(sources.environment);
  const file = fileLayer(sources, [environment, flags]);
  const settings = new Settings([file, environment, flags]);
  const { config, warnings } = resolveConfig(settings, sources);
  const unknown = unknownVariables(sources.environment);
  return { config, warnings: [...unknown, ...warnings], settings };
}

function fileLayer(sources: ConfigSources, others: readonly Layer[]): Layer {
  if (sources.file === false) return new Map();
  const named = sources.file ?? sources.environment['SVC_CONFIG'] ?? '';
  if (named !== '') return readConfigFile(resolve(sources.directory, named));
  const { config } = resolveConfig(new Settings(others.map(placesOf)), sources);
  const found = join(config.dataDir, 'node.json');
  return existsSync(found) ? readConfigFile(found) : new Map();
}

/** The settings that locate the data directory, so that errors of other settings do not matter yet. */
function placesOf(layer: Layer): Layer {
  return new Map([...layer].filter(([path]) => path === 'data_dir' || path === 'network'));
}
