/**
 * The settings in force as a `node.json` that could be used again, each with where it came from.
 */
import type { Settings } from './layer.ts';
import { SETTING_PATHS, type SettingPath } from './settings.ts';

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
