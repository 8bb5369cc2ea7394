/**
 * Runs the tests that carry the id of a row while one line of the code is another, and reports their results.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../check/repository.ts';
import { MUTATION_VARIABLE } from './mutating-loader.ts';
import { isOfFile, type Mutation, mutated } from './mutation-table.ts';

/**
 * `stale`: the text does not occur in its file once. `unloaded`: no test of the row loads the file.
 * `broken`: something else failed than a test of the row, as when the mutated code cannot be loaded.
 * `failsAnyway`: the tests of the row that failed do so without the mutation too, alone as they are run here.
 */
export type Verdict = 'killed' | 'survived' | 'stale' | 'unloaded' | 'broken' | 'failsAnyway';

const TEST_TIMEOUT_MILLIS = 180_000;
/** Whether tests pass without a mutation, by their file and names: many rows are shown by the same tests. */
const passing = new Map<string, Promise<boolean>>();
const LOADER = fileURLToPath(new URL('./mutating-loader.ts', import.meta.url));

/** Test files are tried one after the other; the first that fails settles it. */
export async function runMutation(
  mutation: Mutation,
  testFiles: readonly string[],
): Promise<Verdict> {
  const source = readFileSync(join(ROOT, mutation.file), 'utf8');
  if (mutated(source, mutation) === undefined) return 'stale';
  const scratch = mkdtempSync(join(tmpdir(), 'svc-mutation-'));
  try {
    let verdict: Verdict = 'unloaded';
    for (const [place, file] of testFiles.entries()) {
      const found = await runFile(mutation, file, join(scratch, String(place)));
      if (found === 'killed') return found;
      if (found !== 'unloaded') verdict = found;
    }
    return verdict;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

async function runFile(mutation: Mutation, file: string, appliedPath: string): Promise<Verdict> {
  const { code, output } = await runRow(mutation.id, file, {
    NODE_OPTIONS: `--import=${LOADER}`,
    [MUTATION_VARIABLE]: JSON.stringify({ mutation, appliedPath }),
  });
  if (!existsSync(appliedPath)) return 'unloaded';
  if (code === 0) return 'survived';
  const failed = output.split('\n').filter((line) => /^\s*not ok /.test(line));
  const isOwn = (line: string) => isOfFile(mutation) || line.includes(mutation.id);
  if (!failed.some(isOwn)) return 'broken';
  return (await passesUnmutated(mutation.id, file, output)) ? 'killed' : 'failsAnyway';
}

/** The output of a mutated run names the tests that have to pass. */
function passesUnmutated(id: string, file: string, output: string): Promise<boolean> {
  const names = output.split('\n').flatMap((line) => /^\s*(?:not )?ok \d+ - .*/.exec(line) ?? []);
  const tests = [file, ...names.map((name) => name.replace(/^\s*not /, ''))].join('\n');
  const known = passing.get(tests) ?? runRow(id, file, {}).then(({ code }) => code === 0);
  passing.set(tests, known);
  return known;
}

/** The tests of a file that carry the id of a row, without the others; all of them for a mutation of the file. */
function runRow(
  id: string,
  file: string,
  variables: NodeJS.ProcessEnv,
): Promise<{ code: number | null; output: string }> {
  const environment: NodeJS.ProcessEnv = { ...process.env, ...variables };
  delete environment['NODE_TEST_CONTEXT'];
  const child = spawn(
    process.execPath,
    [
      '--test',
      '--test-isolation=none',
      '--test-force-exit',
      '--test-reporter=tap',
      `--test-timeout=${TEST_TIMEOUT_MILLIS}`,
      ...(isOfFile({ id }) ? [] : [`--test-name-pattern=\\[${id}\\]`]),
      file,
    ],
    { cwd: ROOT, env: environment, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.resume();
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
