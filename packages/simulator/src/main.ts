/**
 * Runs the simulator from the command line: `npm run simulate -- --help`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { init } from 'svc-wasm';
import { type Arguments, readArguments, USAGE } from './campaign/arguments.ts';
import { runCampaign } from './campaign/campaign.ts';
import {
  faultsOf,
  RECORD_PATH,
  refusalOf,
  type SeedRange,
  withPart,
} from './campaign/campaign-record.ts';
import { LEVELS } from './campaign/levels.ts';
import { progressLine, reportLines } from './campaign/report.ts';
import { replayCommand, shrink } from './campaign/shrink.ts';

/** Asking for the processor time of a process costs as much as many events. */
const SEEDS_BETWEEN_LOOKS = 10;
const PROGRESS_CPU_SECONDS = 5;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function git(...args: readonly string[]): string {
  return execFileSync('git', [...args], { encoding: 'utf8' }).trim();
}

function rangeOf({ level, campaign }: Arguments, seeds: number): SeedRange {
  const { from, validatorsMin, validatorsMax } = campaign;
  const validators = `${validatorsMin}..${validatorsMax}`;
  return { level, from, seeds, validators, faults: faultsOf(campaign) };
}

function readRecord(): string {
  return existsSync(RECORD_PATH) ? readFileSync(RECORD_PATH, 'utf8') : '';
}

/** Adds what was run to the page of campaigns. */
function recordCampaign(
  read: Arguments,
  { seeds, failures }: { readonly seeds: number; readonly failures: readonly unknown[] },
  cpu: number,
): void {
  const isChanged = git('status', '--porcelain', 'packages') !== '';
  const part = {
    ...rangeOf(read, seeds),
    commit: `${git('rev-parse', '--short=10', 'HEAD')}${isChanged ? '+' : ''}`,
    architecture: process.arch,
    violations: failures.length,
    cpuSeconds: Math.round(cpu),
  };
  writeFileSync(RECORD_PATH, withPart(readRecord(), part));
  say(`  on record in ${RECORD_PATH}`);
}

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    say(USAGE);
    return 0;
  }
  const read = readArguments(args);
  const refusal = typeof read === 'string' ? read : refusalOfArguments(read);
  if (typeof read === 'string' || refusal !== undefined) {
    say(refusal ?? '');
    say(USAGE);
    return 2;
  }
  await init();
  return runLevel(read);
}

function refusalOfArguments(read: Arguments): string | undefined {
  const { level, mutant, campaign, isRecorded } = read;
  const { mutants } = LEVELS[level];
  if (mutant !== undefined && !mutants.some(({ name }) => name === mutant))
    return `mutants: ${mutants.map(({ name }) => name).join(', ')}`;
  return isRecorded ? refusalOf(readRecord(), rangeOf(read, campaign.seeds)) : undefined;
}

async function runLevel(read: Arguments): Promise<number> {
  const { campaign, isSingle, level, mutant } = read;
  const { draw, runnerOf } = LEVELS[level];
  const run = runnerOf(mutant);
  if (isSingle) say(inspect(draw(campaign.from, campaign), { depth: 4 }));
  const begun = cpuSeconds();
  let shown = begun;
  const totals = await runCampaign(campaign, run, (soFar) => {
    if (soFar.seeds % SEEDS_BETWEEN_LOOKS !== 0 || cpuSeconds() - shown < PROGRESS_CPU_SECONDS)
      return;
    shown = cpuSeconds();
    say(progressLine(soFar, campaign.seeds, shown - begun));
  });
  const cpu = cpuSeconds() - begun;
  for (const line of reportLines(totals, cpu)) say(line);
  for (const { seed, failure } of totals.failures) {
    if (failure === undefined) continue;
    const { checker, detail, atMs } = failure;
    say(`\nseed ${seed} failed: ${checker}: ${detail} (at ${Math.round(atMs)} ms)`);
    say(`  replay:  ${replayCommand(seed, campaign, mutant, level)}`);
    say(`  smaller: ${replayCommand(seed, await shrink(seed, campaign, run), mutant, level)}`);
  }
  if (read.isRecorded) recordCampaign(read, totals, cpu);
  return totals.failures.length === 0 ? 0 : 1;
}

process.exitCode = await main();
