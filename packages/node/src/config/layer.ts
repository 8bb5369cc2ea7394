/**
 * Settings from one source, each with the place it was given, and several sources laid over each other.
 */
import type { Setting } from './setting.ts';
import { SETTING_PATHS, SETTINGS, type SettingPath, type SettingValue } from './settings.ts';

export interface Given {
  readonly value: unknown;
  /** A place in a file, a variable or a flag, for messages. */
  readonly origin: string;
}

export type Layer = ReadonlyMap<SettingPath, Given>;

export class Settings {
  readonly #given = new Map<SettingPath, Given>();

  /** A later layer wins over an earlier one, setting by setting. */
  constructor(layers: readonly Layer[]) {
    for (const layer of layers) {
      for (const [path, given] of layer) this.#given.set(path, given);
    }
  }

  get<Path extends SettingPath>(path: Path): SettingValue<Path> {
    const { default: fallback } = SETTINGS[path] as Setting<SettingValue<Path>>;
    return (this.#given.get(path)?.value as SettingValue<Path> | undefined) ?? fallback;
  }

  /** Where the setting was given; `default` if it was not. */
  origin(path: SettingPath): string {
    return this.#given.get(path)?.origin ?? 'default';
  }

  isGiven(path: SettingPath): boolean {
    return this.#given.has(path);
  }

  /** Whether any setting of a section was given. */
  hasSection(section: string): boolean {
    return SETTING_PATHS.some((path) => path.startsWith(`${section}.`) && this.isGiven(path));
  }
}
