/**
 * Runs groups of tests and prints their results: the output of each, the rows of the specification that they
 * showed, and at the very end what failed. Answers the exit code; do not call `process.exit` with it, since
 * what waits in a full pipe would be lost.
 */
import { mapRows } from '../check/spec-rows.ts';
import { rowTable } from './row-table.ts';
import { print, type RunOptions, runTests, type TestGroup, type TestsRun } from './run-tests.ts';

const SLOWEST_FILES = 30;
const SLOW_FILE_MILLIS = 1_000;

export interface ReportOptions extends RunOptions {
  /** Whether rows that no test of this run showed are listed too. */
  readonly isWhole: boolean;
}

export async function reportRun(
  groups: readonly TestGroup[],
  options: ReportOptions,
): Promise<number> {
  const run = await runTests(groups, options);
  await printRows(run, options.isWhole);
  await printSlowest(run);
  await printFailures(run);
  return run.status;
}

/** After a failure only what failed, so that the reasons above stay in sight. */
async function printRows({ status, ended }: TestsRun, isWhole: boolean): Promise<void> {
  const ids = mapRows().map(({ id }) => id);
  const lines = rowTable(ids, ended)
    .split('\n')
    .filter((line) => {
      if (/^rows of the specification/.test(line)) return true;
      if (status !== 0) return line.includes('FAILED');
      return isWhole || !line.endsWith(' not shown');
    });
  await print(`\n── rows of the specification\n${lines.join('\n')}\n`);
}

async function printSlowest({ ended, processor }: TestsRun): Promise<void> {
  const outer = ended.filter(({ nesting }) => nesting === 0);
  const files = [...Map.groupBy(outer, ({ file }) => file)]
    .map(([file, tests]) => ({ file, millis: tests.reduce((sum, { millis }) => sum + millis, 0) }))
    .map((one) => ({ ...one, processorMillis: processor.get(one.file) ?? 0 }))
    .filter(({ millis }) => millis >= SLOW_FILE_MILLIS)
    .sort((a, b) => b.processorMillis - a.processorMillis)
    .slice(0, SLOWEST_FILES);
  if (files.length === 0) return;
  const seconds = (millis: number): string => `${(millis / 1_000).toFixed(1).padStart(7)} s`;
  const lines = files.map(
    ({ file, millis, processorMillis }) =>
      `${seconds(processorMillis)}  ${seconds(millis)}  ${file}\n`,
  );
  await print(`\n── slowest files: processor, time\n${lines.join('')}`);
}

async function printFailures({ status, ended, brokenOff }: TestsRun): Promise<void> {
  if (status === 0) return;
  const failed = ended.filter(({ outcome }) => outcome === 'FAILED');
  const lines = [
    ...failed.map(
      ({ file, name, reason }) => `FAILED      ${file}: ${name}\n${indented(reason ?? '')}`,
    ),
    ...brokenOff.map(({ file, name }) => `BROKEN OFF  ${file}: ${name}\n`),
  ];
  await print(`\n── tests: failed\n${lines.join('')}`);
}

function indented(text: string): string {
  return text === '' ? '' : `${text.replace(/^/gm, '            ')}\n`;
}
