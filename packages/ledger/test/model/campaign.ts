/**
 * The longer campaign of the model test.
 *
 * Usage: node tools/bootstrap.mjs packages/ledger/test/model/campaign.ts [runs] [cuts] [seed]
 *
 * Prints how often everything happened. On a disagreement it prints the seed and the drawing, unshrunk.
 */
import fc from 'fast-check';
import { SumTrees } from '../testing/sum-trees.ts';
import { anyCut } from './actions.ts';
import { type Coverage, runModel } from './run.ts';

const [runs = 1_000, cuts = 500, seed = 1] = process.argv.slice(2).map(Number);
const coverage: Coverage = new Map();
let done = 0;

fc.assert(
  fc.property(
    fc.array(anyCut, { minLength: 30, maxLength: 120 }),
    fc.constantFrom(12, 24),
    (drawings, interval) => {
      runModel(drawings, { interval, cuts, coverage, trees: new SumTrees() });
      done++;
      if (done % 50 === 0) process.stdout.write(`${done} runs\n`);
    },
  ),
  { numRuns: runs, seed, endOnFailure: true },
);

for (const [name, count] of [...coverage].sort(([a], [b]) => (a < b ? -1 : 1))) {
  process.stdout.write(`${name.padEnd(40)} ${count}\n`);
}
process.stdout.write(`${done} runs of ${cuts} cuts agree, seed ${seed}\n`);
