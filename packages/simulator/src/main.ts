/**
 * Runs the simulator from the command line: `npm run simulate -- --help`.
 */
import { inspect } from 'node:util';
import { init } from 'svc-wasm';
import type { Arguments, LevelName } from './campaign/arguments.ts';
import { readArguments, USAGE } from './campaign/arguments.ts';
import type { CampaignTotals } from './campaign/campaign.ts';
import { runCampaign } from './campaign/campaign.ts';
import { progressLine, reportLines } from './campaign/report.ts';
import { runSeed } from './campaign/run-seed.ts';
import { replayCommand, shrink } from './campaign/shrink.ts';
import { drawLedgerPlan, runLedgerSeed } from './ledger/run-ledger-seed.ts';
import { MUTANTS } from './mutants/mutants.ts';
import { drawPlan } from './plan/plan.ts';
import type { Protocol } from './world/protocol.ts';
import { PROTOCOL } from './world/protocol.ts';

const PROGRESS_CPU_SECONDS = 5;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function protocolOf(name: string | undefined): Protocol | undefined {
  if (name === undefined) return PROTOCOL;
  return MUTANTS.find((mutant) => mutant.name === name)?.protocol;
}

const LEVELS = {
  finality: { draw: drawPlan, run: runSeed },
  ledger: { draw: drawLedgerPlan, run: runLedgerSeed },
} as const satisfies Record<LevelName, object>;

function reportFailures(
  { level, campaign, mutant }: Arguments,
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
  const protocol = typeof read === 'string' ? undefined : protocolOf(read.mutant);
  if (typeof read === 'string' || protocol === undefined) {
    say(typeof read === 'string' ? read : `mutants: ${MUTANTS.map(({ name }) => name).join(', ')}`);
    say(USAGE);
    return 2;
  }
  const { campaign, isSingle } = read;
  const level = LEVELS[read.level];
  if (read.level === 'ledger') await init();
  if (isSingle) say(inspect(level.draw(campaign.from, campaign), { depth: 4 }));
  const begun = cpuSeconds();
  let shown = begun;
  const onProgress = (soFar: CampaignTotals) => {
    if (cpuSeconds() - shown < PROGRESS_CPU_SECONDS) return;
    shown = cpuSeconds();
    say(progressLine(soFar, campaign.seeds, shown - begun));
  };
  const totals = runCampaign(campaign, protocol, onProgress, level.run);
  for (const line of reportLines(totals, cpuSeconds() - begun)) say(line);
  reportFailures(read, totals, protocol);
  return totals.failures.length === 0 ? 0 : 1;
}

process.exitCode = await main();
