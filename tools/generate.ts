/**
 * Writes the generated sources of the kernel.
 *
 * Usage: node tools/bootstrap.mjs tools/generate.ts [--check]
 *
 * With `--check` nothing is written: the exit code tells whether every committed file is what its
 * generator makes.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateAll } from './generate/generators.ts';

const folder = fileURLToPath(new URL('../packages/protocol/assembly/generated/', import.meta.url));

const onlyCheck = process.argv.includes('--check');
const stale: string[] = [];
mkdirSync(folder, { recursive: true });
for (const { name, text } of generateAll()) {
  const path = join(folder, name);
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
  stale.push(name);
  if (!onlyCheck) writeFileSync(path, text);
}
if (onlyCheck && stale.length > 0) {
  process.stderr.write(
    `not what the generator makes: ${stale.join(', ')}; run tools/generate.ts\n`,
  );
  process.exitCode = 1;
} else {
  process.stdout.write(
    stale.length === 0 ? 'generated files are up to date\n' : `written: ${stale.join(', ')}\n`,
  );
}
