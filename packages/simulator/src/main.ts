/**
 * Runs the simulator from the command line: `npm run simulate -- --help`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { init } from 'svc-wasm';
import type { Arguments, LevelName } from './campaign/arguments.ts';
import { readArguments, USAGE } from './campaign/arguments.ts';
import type { CampaignTotals } from './campaign/campaign.ts';
import { runCampaign } from './campaign/campaign.ts';
import {
  faultsOf,
  RECORD_PATH,
  refusalOf,
  type SeedRange,
  withPart,
} from './campaign/campaign-record.ts';
import { progressLine, reportLines } from './campaign/report.ts';
import { runSeed } from './campaign/run-seed.ts';
import { replayCommand, shrink } from './campaign/shrink.ts';
import { nodeReportLines, runNodeCampaign } from './full/node-campaign.ts';
import { drawNodePlan } from './full/node-plan.ts';
import { NODE_MUTANTS, NODE_RULES } from './full/node-rules.ts';
import { drawLedgerPlan, runLedgerSeed } from './ledger/run-ledger-seed.ts';
import { COMMITTEE_MUTANTS } from './mutants/committee-mutants.ts';
import { MUTANTS } from './mutants/mutants.ts';
import { drawPlan } from './plan/plan.ts';
import type { Protocol } from './world/protocol.ts';
import { PROTOCOL } from './world/protocol.ts';

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

function protocolOf(name: string | undefined): Protocol {
  return PROTOCOL_MUTANTS.ledger.find((mutant) => mutant.name === name)?.protocol ?? PROTOCOL;
}

const LEVELS = {
  finality: { draw: drawPlan, run: runSeed },
  ledger: { draw: drawLedgerPlan, run: runLedgerSeed },
} as const satisfies Record<Exclude<LevelName, 'node'>, object>;

/** Whole nodes answer with promises, so their campaign is one of its own. */
async function runNodeLevel(read: Arguments): Promise<number> {
  const { campaign, isSingle, mutant } = read;
  const rules = NODE_MUTANTS.find(({ name }) => name === mutant)?.rules ?? NODE_RULES;
  if (isSingle) say(inspect(drawNodePlan(campaign.from, campaign), { depth: 4 }));
  const begun = cpuSeconds();
  let shown = begun;
  const totals = await runNodeCampaign(campaign, rules, ({ seeds, failures }) => {
    if (cpuSeconds() - shown < PROGRESS_CPU_SECONDS) return;
    shown = cpuSeconds();
    const rate = (seeds / (shown - begun)).toFixed(1);
    say(`${seeds} of ${campaign.seeds} seeds, ${rate} per CPU second, ${failures.length} failed`);
  });
  const cpu = cpuSeconds() - begun;
  for (const line of nodeReportLines(totals, cpu)) say(line);
  for (const { seed, failure } of totals.failures) {
    say(`\nseed ${seed} failed: ${failure?.checker}: ${failure?.detail}`);
    say(`  replay:  ${replayCommand(seed, campaign, mutant, 'node')}`);
  }
  if (read.isRecorded) recordCampaign(read, totals, cpu);
  return totals.failures.length === 0 ? 0 : 1;
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

/** Of level ledger also those of committees, which change there alone. */
const PROTOCOL_MUTANTS = { finality: MUTANTS, ledger: [...MUTANTS, ...COMMITTEE_MUTANTS] } as const;

function mutantNames(level: LevelName): string[] {
  return (level === 'node' ? NODE_MUTANTS : PROTOCOL_MUTANTS[level]).map(({ name }) => name);
}

function reportFailures(
  { level, campaign, mutant }: Arguments & { readonly level: keyof typeof LEVELS },
  totals: CampaignTotals,
  protocol: Protocol,
): void {
  for (const { seed, failure } of totals.failures) {
    if (failure === undefined) continue;
    say(
      `\nseed ${seed} failed: ${failure.checker}: ${failure.detail} (at ${Math.round(failure.atMs)} ms)`,
    );
    say(`  replay:  ${replayCommand(seed, campaign, mutant, level)}`);
    const smallest = shrink(seed, campaign, protocol, LEVELS[level].run);
    say(`  smaller: ${replayCommand(seed, smallest, mutant, level)}`);
  }
}

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    say(USAGE);
    return 0;
  }
  const read = readArguments(args);
  if (typeof read === 'string' || !isMutantKnown(read)) {
    say(typeof read === 'string' ? read : `mutants: ${mutantNames(read.level).join(', ')}`);
    say(USAGE);
    return 2;
  }
  const refusal = read.isRecorded
    ? refusalOf(readRecord(), rangeOf(read, read.campaign.seeds))
    : undefined;
  if (refusal !== undefined) {
    say(refusal);
    return 2;
  }
  if (read.level !== 'finality') await init();
  return read.level === 'node' ? runNodeLevel(read) : runLevel(read, read.level);
}

function isMutantKnown({ mutant, level }: Arguments): boolean {
  return mutant === undefined || mutantNames(level).includes(mutant);
}

function runLevel(read: Arguments, name: keyof typeof LEVELS): number {
  const { campaign, isSingle } = read;
  const protocol = protocolOf(read.mutant);
  const level = LEVELS[name];
  if (isSingle) say(inspect(level.draw(campaign.from, campaign), { depth: 4 }));
  const begun = cpuSeconds();
  let shown = begun;
  const onProgress = (soFar: CampaignTotals) => {
    if (soFar.seeds % SEEDS_BETWEEN_LOOKS !== 0 || cpuSeconds() - shown < PROGRESS_CPU_SECONDS)
      return;
    shown = cpuSeconds();
    say(progressLine(soFar, campaign.seeds, shown - begun));
  };
  const totals = runCampaign(campaign, protocol, onProgress, level.run);
  const cpu = cpuSeconds() - begun;
  for (const line of reportLines(totals, cpu)) say(line);
  reportFailures({ ...read, level: name }, totals, protocol);
  if (read.isRecorded) recordCampaign(read, totals, cpu);
  return totals.failures.length === 0 ? 0 : 1;
}

process.exitCode = await main();
