/**
 * Writes what is generated: tables of the kernel, the client's paths of routes, the list of decisions, the reference of routes
 * and sockets, those of the mining listener and of the libraries.
 *
 * Usage: node tools/bootstrap.mjs tools/generate.ts [--check]
 *
 * With `--check` nothing is written: the exit code tells whether every committed file is what its
 * generator makes.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clientPaths } from './generate/client-paths.ts';
import { decisionList } from './generate/decision-list.ts';
import { generateAll } from './generate/generators.ts';
import { httpReference } from './generate/http-reference.ts';
import { libraryReference } from './generate/library-reference.ts';
import { miningReference } from './generate/mining-reference.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const KERNEL = 'packages/protocol/assembly/generated';

const files = [
  ...generateAll().map(({ name, text }) => ({ path: `${KERNEL}/${name}`, text })),
  { path: 'packages/client/src/routes/paths.ts', text: clientPaths() },
  { path: 'docs/adr/README.md', text: decisionList(join(ROOT, 'docs', 'adr')) },
  { path: 'docs/reference/http.md', text: httpReference() },
  { path: 'docs/reference/mining-http.md', text: miningReference() },
  { path: 'docs/reference/client.md', text: libraryReference() },
];

const onlyCheck = process.argv.includes('--check');
const stale: string[] = [];
mkdirSync(join(ROOT, KERNEL), { recursive: true });
for (const { path, text } of files) {
  const file = join(ROOT, path);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  stale.push(path);
  if (!onlyCheck) writeFileSync(file, text);
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
