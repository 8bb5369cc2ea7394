/**
 * The fuzzer's command.
 *
 * Usage: npm run fuzz -- [--executions 1000000] [--seed text] [--target name|all] [--list]
 *        npm run fuzz -- --target name --input hex      runs one input, as a finding's last line says
 *
 * Exits with 1 at the first finding, after printing its seed, its input and how to run it again.
 */
import { parseArgs } from 'node:util';
import { Finding, type Target } from '../../packages/protocol/fuzz/target.ts';
import { fromHex, toHex } from '../../packages/protocol/src/base/bytes.ts';
import { execute, fuzzTarget } from './fuzz-target.ts';
import { header, line, memoryFault, progress, summary } from './report.ts';
import { TARGETS } from './targets.ts';

/** The error of every refused input is thrown away: collecting its stack would take most time. */
Error.stackTraceLimit = 0;

const HEX_SHOWN_MAX = 120_000;

const { values } = parseArgs({
  options: {
    executions: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    target: { type: 'string', default: 'all' },
    input: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
});

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function fail(text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(2);
}

function chosenTargets(): readonly Target[] {
  const chosen = TARGETS.filter(({ name }) => values.target === 'all' || values.target === name);
  if (chosen.length > 0) return chosen;
  fail(`no target ${values.target}; there are ${TARGETS.map(({ name }) => name).join(', ')}`);
}

function executionsWanted(): number {
  if (/^[1-9][0-9]{0,11}$/.test(values.executions)) return Number(values.executions);
  fail(`--executions takes a number above zero, found ${values.executions}`);
}

function reportFinding(finding: Finding): void {
  const { target, execution, input } = finding;
  const stack = finding.cause instanceof Error ? (finding.cause.stack ?? '') : '';
  say(`\nFINDING in ${finding.message}\n${stack}`);
  say(`seed: ${values.seed}`);
  const hex = toHex(input);
  say(`input (${input.length} bytes): ${hex.slice(0, HEX_SHOWN_MAX)}`);
  say('run it again with one of:');
  if (hex.length <= HEX_SHOWN_MAX) say(`  npm run fuzz -- --target ${target} --input ${hex}`);
  say(`  npm run fuzz -- --target ${target} --seed ${values.seed} --executions ${execution}`);
}

function runAll(targets: readonly Target[]): void {
  const wanted = executionsWanted();
  const shares = targets.reduce((sum, { share }) => sum + share, 0);
  const reports = targets.map((target) => {
    const executions = Math.max(1, Math.round((wanted * target.share) / shares));
    const onProgress = progress(target.name, executions);
    const report = fuzzTarget(target, { seed: values.seed, executions, onProgress });
    say(line(report));
    return report;
  });
  say(summary(reports));
  const fault = memoryFault();
  if (fault !== undefined) fail(fault);
}

const targets = chosenTargets();
try {
  if (values.list) {
    for (const { name, seeds } of targets) say(`${name} (${seeds.length} seeds)`);
  } else if (values.input === undefined) {
    say(`seed ${values.seed}, ${targets.length} targets\n${header()}`);
    runAll(targets);
  } else {
    Error.stackTraceLimit = 30;
    const [target] = targets as [Target];
    say(`${target.name}: ${execute(target, fromHex(values.input, 'input'), 0)}`);
  }
} catch (error) {
  if (!(error instanceof Finding)) throw error;
  reportFinding(error);
  process.exitCode = 1;
}
