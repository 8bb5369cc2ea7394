/**
 * `npm run mutate -- [--jobs N] [ids or beginnings of ids]`: for every row or test file that `tools/mutations` has a mutation
 * for, breaks the line that it is about and runs the tests that carry its id, or those of the file. They must fail, and pass without it. The
 * code is broken in memory alone. The end lists what survived and which rows have no mutation; the status is 1 if any survived.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT, repositoryFiles } from './check/repository.ts';
import { mapRows, shownRows } from './check/spec-rows.ts';
import { isOfFile, type Mutation, readMutations } from './mutations/mutation-table.ts';
import { runMutation, type Verdict } from './mutations/run-mutation.ts';

const JOBS_MAX = 8;
const IMPORT = /(?:from|import\()\s*'(\.[^']+)'/g;

interface Tried {
  readonly mutation: Mutation;
  readonly verdict: Verdict;
}

/** The test files that run the tests of a file: itself, or those that import it. */
function entriesOf(path: string, importers: ReadonlyMap<string, readonly string[]>): string[] {
  if (path.endsWith('.test.ts')) return [path];
  return (importers.get(path) ?? []).flatMap((importer) => entriesOf(importer, importers));
}

function importersOf(): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  const isTest = (path: string): boolean => /\.test\.ts$|\/test\/.*\.ts$/.test(path);
  for (const path of repositoryFiles().filter(isTest)) {
    for (const [, name] of readFileSync(join(ROOT, path), 'utf8').matchAll(IMPORT)) {
      const target = join(dirname(path), name as string);
      importers.set(target, [...(importers.get(target) ?? []), path]);
    }
  }
  return importers;
}

/** Tests of single files first, those that start networks and processes last. */
const SLOW = ['/src/', '/test/', '/wallet/test/', '/test/dev/', '/test/cluster', '/test/process/'];

function cost(path: string): number {
  return SLOW.findLastIndex((part) => path.includes(part));
}

async function tryAll(mutations: readonly Mutation[], jobs: number): Promise<Tried[]> {
  const [shown, importers] = [shownRows(), importersOf()];
  const tried: Tried[] = [];
  const waiting = mutations.entries();
  const work = async (): Promise<void> => {
    for (const [place, mutation] of waiting) {
      const named = isOfFile(mutation) ? [mutation.id] : (shown.get(mutation.id) ?? []);
      const files = named.flatMap((path) => entriesOf(path, importers));
      const entries = [...new Set(files)].toSorted((a, b) => cost(a) - cost(b));
      const verdict = await runMutation(mutation, entries);
      tried.push({ mutation, verdict });
      const line = `${place + 1}/${mutations.length} ${mutation.id} ${verdict} ${mutation.file}`;
      process.stdout.write(`${line}\n`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return tried;
}

function tell(tried: readonly Tried[], all: readonly Mutation[]): void {
  const bad = tried.filter(({ verdict }) => verdict !== 'killed');
  for (const { mutation, verdict } of bad) {
    const { id, file, text, replacement } = mutation;
    process.stdout.write(`\n${verdict}: ${id} ${file}\n- ${text}\n+ ${replacement}\n`);
  }
  const ids = new Set(all.map(({ id }) => id));
  const without = mapRows().filter(({ id }) => !ids.has(id));
  if (without.length > 0)
    process.stdout.write(`\nno mutation: ${without.map(({ id }) => id).join(' ')}\n`);
  const rows = new Set(tried.map(({ mutation }) => mutation.id)).size;
  process.stdout.write(
    `${tried.length} mutations of ${rows} rows: ${tried.length - bad.length} killed, ${bad.length} not\n`,
  );
  process.exitCode = bad.length === 0 ? 0 : 1;
}

const { values, positionals } = parseArgs({
  options: { jobs: { type: 'string', default: '1' } },
  allowPositionals: true,
});
const jobs = Math.min(JOBS_MAX, Math.max(1, Number(values.jobs) || 1));
const all = readMutations();
const chosen = all.filter(
  ({ id }) => positionals.length === 0 || positionals.some((start) => id.startsWith(start)),
);
tell(await tryAll(chosen, jobs), all);
