/**
 * What failed in several runs of the same tests, and how often.
 */
import type { TestsRun } from './run-tests.ts';

export function failureTable(runs: readonly TestsRun[]): string {
  const counts = new Map<string, number>();
  for (const run of runs) {
    for (const what of failuresOf(run)) counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const passed = runs.filter(({ status }) => status === 0).length;
  const lines = [...counts]
    .sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
    .map(([what, count]) => `${String(count).padStart(5)}  ${what}\n`);
  return `\n── ${passed} of ${runs.length} rounds passed\n${lines.join('')}`;
}

/** Each once, also of a run in which it failed with several of its parts. */
function failuresOf({ status, ended, brokenOff }: TestsRun): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { file, name, outcome } of ended) {
    if (outcome === 'FAILED') found.add(`${file}: ${name}`);
  }
  for (const { file, name } of brokenOff) found.add(`${file}: ${name} (broken off)`);
  if (status !== 0 && found.size === 0) found.add('no test, but a process: see its output');
  return found;
}
