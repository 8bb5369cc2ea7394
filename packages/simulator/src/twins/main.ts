/**
 * Enumerates schedules with twins: one validator of four or five runs twice, and in each of the first rounds of a
 * height the processes are divided in every way there is.
 *
 * Usage: node tools/bootstrap.mjs packages/simulator/src/twins/main.ts [--validators 4] [--rounds 2] [--sides 2]
 *   [--from N] [--every N] [--mutant NAME]
 *
 * `--every` takes one schedule of so many; without it all are run.
 */
import { parseArgs } from 'node:util';
import { CONTRADICTIONS_ACKNOWLEDGED } from '../mutants/evidence-mutants.ts';
import { MUTANTS } from '../mutants/mutants.ts';
import { PROTOCOL } from '../world/protocol.ts';
import { enumerateTwins, type TwinsTotals } from './enumerate.ts';

const ROUNDS_MAX = 4;
const PROGRESS_SCHEDULES = 2_000;

const { values } = parseArgs({
  options: {
    validators: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '2' },
    sides: { type: 'string', default: '2' },
    from: { type: 'string', default: '0' },
    every: { type: 'string', default: '1' },
    mutant: { type: 'string' },
  },
});

const say = (text: string) => process.stdout.write(`${text}\n`);

function numberOf(name: Exclude<keyof typeof values, 'mutant'>, low: number, high: number): number {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < low || value > high)
    throw new Error(`--${name} ${values[name]}: expected ${low} to ${high}`);
  return value;
}

function protocolOf(name: string | undefined) {
  if (name === undefined) return PROTOCOL;
  const mutant = [...MUTANTS, CONTRADICTIONS_ACKNOWLEDGED].find((one) => one.name === name);
  if (mutant === undefined) throw new Error(`--mutant ${name}: no such mutant`);
  return mutant.protocol;
}

const validators = numberOf('validators', 4, 5);
const start = process.cpuUsage();
const cpuSeconds = () => {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
};
const tell = ({ ran, count, failures }: TwinsTotals) =>
  say(`${ran} of ${count} schedules, ${failures.length} failed, ${cpuSeconds().toFixed(0)} CPU s`);
const totals = enumerateTwins(
  {
    validators,
    rounds: numberOf('rounds', 1, ROUNDS_MAX),
    sides: numberOf('sides', 2, validators + 1),
    from: numberOf('from', 0, Number.MAX_SAFE_INTEGER),
    every: numberOf('every', 1, Number.MAX_SAFE_INTEGER),
  },
  protocolOf(values.mutant),
  (progress) => {
    if (progress.ran % PROGRESS_SCHEDULES === 0) tell(progress);
  },
);
tell(totals);
const { rounds, convicted } = totals;
rounds.forEach((schedules, count) => void say(`  decided in ${count} rounds: ${schedules}`));
say(`  the twin was convicted in ${convicted}`);
for (const { number, failure } of totals.failures) {
  process.exitCode = 1;
  say(`  schedule ${number}: ${failure.checker}: ${failure.detail}`);
}
