/** The compiler and the linters, each as one check. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Check } from './check.ts';
import { ROOT } from './repository.ts';

const LINES_SHOWN_MAX = 60;
/** The compiler and the type-aware linter are programs in Go: they collect garbage when the heap is five times as large. */
const ENVIRONMENT = { ...process.env, GOGC: '400' };

function tool(name: string, binary: string, args: readonly string[]): Check {
  return { name, run: () => problemsOf(binary, args) };
}

function problemsOf(binary: string, args: readonly string[]): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const path = join(ROOT, 'node_modules', '.bin', binary);
    const child = spawn(path, args, { cwd: ROOT, env: ENVIRONMENT });
    let output = '';
    child.stdout.on('data', (part) => (output += part));
    child.stderr.on('data', (part) => (output += part));
    child.on('error', reject);
    child.on('close', (code) => resolve(code === 0 ? [] : [firstLines(output)]));
  });
}

function firstLines(text: string): string {
  const lines = text.trim().split('\n');
  const more = lines.length - LINES_SHOWN_MAX;
  return lines.slice(0, LINES_SHOWN_MAX).join('\n') + (more > 0 ? `\n… ${more} more lines` : '');
}

/**
 * What the compiler found the last time is kept: it checks again only what has changed since. One checker does the work:
 * each of several finds out the types that its files share anew, and the linters keep the other cores busy.
 */
export const types: Check = tool('types', 'tsc', [
  '-p',
  '.',
  '--checkers',
  '1',
  '--incremental',
  '--tsBuildInfoFile',
  join('node_modules', '.cache', 'types.tsbuildinfo'),
]);
export const biome: Check = tool('format and lint', 'biome', ['check', '--error-on-warnings', '.']);
export const oxlint: Check = tool('type-aware lint', 'oxlint', [
  '--type-aware',
  '--deny-warnings',
  '.',
]);
