/**
 * Writes the generated reference pages.
 *
 * Usage: node tools/bootstrap.mjs packages/node/src/cli/reference/write.ts
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { referencePages } from './pages.ts';

const root = fileURLToPath(new URL('../../../../../', import.meta.url));

for (const { path, text } of referencePages()) {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  if (path.endsWith('.json')) {
    execFileSync(join(root, 'node_modules', '.bin', 'biome'), ['format', '--write', file]);
  }
  process.stdout.write(`${path}\n`);
}
