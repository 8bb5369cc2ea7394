/**
 * Runs the simulator from the command line: `npm run simulate -- --help`.
 */
import { inspect } from 'node:util';
import type { Arguments } from './campaign/arguments.ts';
import { readArguments, USAGE } from './campaign/arguments.ts';
import type { CampaignTotals } from './campaign/campaign.ts';
import { runCampaign } from './campaign/campaign.ts';
import { progressLine, reportLines } from './campaign/report.ts';
import { replayCommand, shrink } from './campaign/shrink.ts';
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

function reportFailures(
  { campaign, mutant }: Arguments,
  totals: CampaignTotals,
  protocol: Protocol,
): void {
  for (const { seed, failure } of totals.failures) {
    if (failure === undefined) continue;
    say(
      `\nseed ${seed} failed: ${failure.checker}: ${failure.detail} (at ${Math.round(failure.atMs)} ms)`,
    );
    say(`  replay:  ${replayCommand(seed, campaign, mutant)}`);
    const smallest = shrink(seed, campaign, protocol);
    say(`  smaller: ${replayCommand(seed, smallest, mutant)}`);
  }
}

function main(): number {
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
  if (isSingle) say(inspect(drawPlan(campaign.from, campaign), { depth: 4 }));
  const begun = cpuSeconds();
  let shown = begun;
  const totals = runCampaign(campaign, protocol, (soFar) => {
    if (cpuSeconds() - shown < PROGRESS_CPU_SECONDS) return;
    shown = cpuSeconds();
    say(progressLine(soFar, campaign.seeds, shown - begun));
  });
  for (const line of reportLines(totals, cpuSeconds() - begun)) say(line);
  reportFailures(read, totals, protocol);
  return totals.failures.length === 0 ? 0 : 1;
}

process.exitCode = main();
