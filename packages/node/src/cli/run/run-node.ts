/**
 * `svcd run`: reads the configuration, then either prints it or serves.
 */
import { CliError, EXIT, result } from 'svc-base/cli';
import type { Settings } from '../../config/layers.ts';
import { SETTING_PATHS, type SettingPath } from '../../config/settings.ts';
import type { CommandOptions } from '../config-options.ts';
import { configOf } from '../load-config.ts';

/** Settings that are absent are shown as comments. */
export function printConfig(settings: Settings): string {
  const lines: string[] = ['{'];
  let open: readonly string[] = [];
  for (const path of SETTING_PATHS) {
    const sections = path.split('.').slice(0, -1);
    lines.push(...between(open, sections));
    open = sections;
    lines.push(`${indent(open.length)}${line(settings, path)}`);
  }
  lines.push(...between(open, []), '}');
  return `${lines.join('\n')}\n`;
}

function line(settings: Settings, path: SettingPath): string {
  const value = settings.get(path);
  const name = path.split('.').at(-1);
  if (value === null) return `// "${name}": absent`;
  return `"${name}": ${JSON.stringify(value)}, // ${settings.origin(path)}`;
}

/** Closes and opens sections on the way from one to another. */
function between(from: readonly string[], to: readonly string[]): string[] {
  let shared = 0;
  while (shared < from.length && from[shared] === to[shared]) shared++;
  const closed = from.slice(shared).map((_, index) => `${indent(from.length - 1 - index)}},`);
  const opened = to.slice(shared).map((name, index) => `${indent(shared + index)}"${name}": {`);
  return [...closed, ...opened];
}

function indent(depth: number): string {
  return '  '.repeat(depth + 1);
}

/** Errors of the command are reported before anything large is loaded. */
export async function runNode(options: CommandOptions): Promise<void> {
  const loaded = configOf(options);
  if (options['printConfig'] === true) return result(printConfig(loaded.settings));
  const newSignState = options['newSignState'] === true;
  if (newSignState && loaded.config.validator === null)
    throw new CliError(EXIT.usage, '--new-sign-state: the configuration has no validator section');
  const { serveNode } = await import('./serve-node.ts');
  return serveNode(loaded, newSignState);
}
