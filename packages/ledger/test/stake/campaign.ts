/**
 * Runs over the stake of a network: many small ones, or one over a number of positions.
 *
 * Usage: node tools/bootstrap.mjs packages/ledger/test/stake/campaign.ts [--seeds 100] [--from 1]
 *        node tools/bootstrap.mjs packages/ledger/test/stake/campaign.ts --positions 100000 [--from 1]
 */
import { parseArgs } from 'node:util';
import { type RunResult, runLarge, runSmall } from './runs.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    positions: { type: 'string' },
  },
});
const [seeds, from] = [Number(values.seeds), Number(values.from)];

function report(seed: number, { failure, counts }: RunResult): boolean {
  if (failure !== undefined) process.stdout.write(`seed ${seed}: ${failure.message}\n`);
  if (values.positions !== undefined) process.stdout.write(`${JSON.stringify(counts)}\n`);
  return failure === undefined;
}

if (values.positions === undefined) {
  let failed = 0;
  for (let seed = from; seed < from + seeds; seed++) if (!report(seed, runSmall(seed))) failed++;
  process.stdout.write(`${seeds} seeds from ${from}: ${failed} violations\n`);
  process.exitCode = failed === 0 ? 0 : 1;
} else process.exitCode = report(from, runLarge(from, Number(values.positions))) ? 0 : 1;
