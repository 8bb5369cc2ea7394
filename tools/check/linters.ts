/** The compiler and the linters, each as one check. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Check } from './check.ts';
import { ROOT } from './repository.ts';

const LINES_SHOWN_MAX = 60;

function tool(name: string, binary: string, args: readonly string[]): Check {
  return { name, run: () => problemsOf(binary, args) };
}

function problemsOf(binary: string, args: readonly string[]): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(join(ROOT, 'node_modules', '.bin', binary), args, { cwd: ROOT });
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

/** What the compiler found the last time is kept: it checks again only what has changed since. */
export const types: Check = tool('types', 'tsc', [
  '-p',
  '.',
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
