/**
 * Installs the tarballs into empty projects outside the repository, and uses them there as people do.
 *
 * Usage: npm run pack:try [-- libraries | engines | recipes | programs]
 *
 * Needs the registry: the compilers, linters and releases of Node are installed aside, because they are no
 * dependencies of this project.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTarballs } from './pack/tarballs.ts';
import { tryEngines } from './pack/try-engines.ts';
import { type Finding, tryLibraries } from './pack/try-libraries.ts';
import { tryPrograms } from './pack/try-programs.ts';
import { tryRecipes } from './pack/try-recipes.ts';

const wanted = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), 'svc-packages-'));

function print({ what, problem }: Finding): void {
  if (problem !== undefined) process.exitCode = 1;
  const end = problem === undefined ? 'works' : `FAILED: ${problem}`;
  process.stdout.write(`${what.padEnd(52)} ${end}\n`);
}

try {
  const tarballs = join(scratch, 'packed');
  await makeTarballs(tarballs);
  if (wanted.length === 0 || wanted.includes('libraries'))
    for await (const finding of tryLibraries(scratch, tarballs)) print(finding);
  if (wanted.length === 0 || wanted.includes('engines'))
    for await (const finding of tryEngines(scratch, tarballs)) print(finding);
  if (wanted.length === 0 || wanted.includes('recipes'))
    for await (const finding of tryRecipes(scratch, tarballs)) print(finding);
  if (wanted.length === 0 || wanted.includes('programs'))
    for await (const finding of tryPrograms(scratch, tarballs)) print(finding);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
