/**
 * Runs the recipes of the page about testing as people copy them: one folder with the tarballs, vitest and jest, which are
 * no dependencies of this project. Several files at once must all pass, whatever number of workers there is.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../release/paths.ts';
import { type Finding, install, problemOf, tarballOf } from './try-libraries.ts';

const run = promisify(execFile);

const PAGE = 'docs/integrate/testing.md';
const PACKAGES = ['svc-wasm', 'svc-client', 'svc-devnet'] as const;
const RUNNERS = ['vitest@5.1.0', 'jest@30.5.2'] as const;
/** The newest release of this dependency of vitest has no binary for linux-arm64. */
const OVERRIDES = { rolldown: '1.2.18' };
const PARALLEL_FILES = 4;

interface Recipe {
  readonly runner: 'node:test' | 'vitest' | 'jest';
  /** The line that begins the program in the page. */
  readonly fence: string;
  readonly file: string;
  command(files: readonly string[], workers: number): readonly string[];
}

const RECIPES: readonly Recipe[] = [
  {
    runner: 'node:test',
    fence: '```ts\n',
    file: 'shop.test.ts',
    command: (files, workers) => ['--test', `--test-concurrency=${workers}`, ...files],
  },
  {
    runner: 'vitest',
    fence: '```ts vitest\n',
    file: 'shop.test.ts',
    command: (files, workers) => [
      '../node_modules/vitest/vitest.mjs',
      'run',
      `--maxWorkers=${workers}`,
      ...files,
    ],
  },
  {
    runner: 'jest',
    fence: '```js jest\n',
    file: 'shop.test.js',
    command: (files, workers) => [
      '--experimental-vm-modules',
      '../node_modules/jest/bin/jest.js',
      `--maxWorkers=${workers}`,
      ...files,
    ],
  },
];

export async function* tryRecipes(scratch: string, tarballs: string): AsyncGenerator<Finding> {
  const folder = join(scratch, 'recipes');
  mkdirSync(folder);
  const settings = { private: true, type: 'module', overrides: OVERRIDES };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(settings));
  const files = PACKAGES.map((name) => tarballOf(tarballs, name));
  yield {
    what: 'npm install with vitest and jest',
    problem: await problemOf(() => install(folder, [...files, ...RUNNERS])),
  };
  for (const recipe of RECIPES) yield* tryRecipe(folder, recipe);
}

async function* tryRecipe(folder: string, recipe: Recipe): AsyncGenerator<Finding> {
  const { runner, file } = recipe;
  const cwd = join(folder, runner.replace(':', '-'));
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'package.json'), '{"private":true,"type":"module"}');
  const program = programOf(recipe);
  const names = Array.from({ length: PARALLEL_FILES }, (_, index) => `file-${index}-${file}`);
  for (const name of names) writeFileSync(join(cwd, name), program);
  yield await timed(`${runner}, one file`, () => start(cwd, recipe, names.slice(0, 1), 1));
  for (const workers of [1, 2, PARALLEL_FILES]) {
    const what = `${runner}, ${PARALLEL_FILES} files, workers: ${workers}`;
    yield await timed(what, () => start(cwd, recipe, names, workers));
  }
}

async function start(
  cwd: string,
  { command }: Recipe,
  files: readonly string[],
  workers: number,
): Promise<void> {
  await run(process.execPath, [...command(files, workers)], { cwd });
}

/** The time is reported, not judged: it says how much workers help on this machine. */
async function timed(what: string, work: () => Promise<void>): Promise<Finding> {
  const begun = performance.now();
  const problem = await problemOf(work);
  return { what: `${what} (${((performance.now() - begun) / 1_000).toFixed(1)} s)`, problem };
}

function programOf({ fence, runner }: Recipe): string {
  const [, after] = readFileSync(join(ROOT, PAGE), 'utf8').split(fence, 2);
  const end = after?.indexOf('```') ?? -1;
  if (after === undefined || end < 0) throw new Error(`${PAGE} has no program for ${runner}`);
  return after.slice(0, end);
}
