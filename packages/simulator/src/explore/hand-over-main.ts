/**
 * Explores what one height hands to the next: every pair of states of two honest validators, for everything that can have
 * been signed at the height before.
 *
 * Usage: node tools/bootstrap.mjs packages/simulator/src/explore/hand-over-main.ts [--rounds 4,12]
 *   [--signers 3] [--junk yes|no]
 *
 * `--rounds` are the later rounds in which the height can be decided, multiples of four; from round 12 on round 0 is
 * forgotten. `--signers` is the most honest validators that precommit the cut in one round, 2 or 3. `--junk`: the
 * Byzantine validator precommits the cut in as many rounds of its own as fill the tables.
 */
import { parseArgs } from 'node:util';
import { exploreHandOver } from './hand-over/explore-hand-over.ts';
import { firstHeights } from './hand-over/first-height.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '4,12' },
    signers: { type: 'string', default: '3' },
    junk: { type: 'string', default: 'yes' },
  },
});
const lateRounds = values.rounds.split(',').map(Number);
for (const round of lateRounds)
  if (!Number.isSafeInteger(round) || round < 4 || round > 40 || round % 4 !== 0)
    throw new Error(`--rounds ${values.rounds}: multiples of four from 4 to 40`);
if (!['2', '3'].includes(values.signers)) throw new Error(`--signers ${values.signers}: 2 or 3`);
if (!['yes', 'no'].includes(values.junk)) throw new Error(`--junk ${values.junk}: yes or no`);

const say = (text: string) => process.stdout.write(`${text}\n`);
const firsts = lateRounds.flatMap((round) => firstHeights(round, Number(values.signers)));
const found = exploreHandOver(firsts, { hasJunk: values.junk === 'yes', statesMax: 1_000_000 });
const { user, system } = process.cpuUsage();
say(`${firsts.length} first heights, ${found.states} states of validators, ${found.pairs} pairs`);
say(`${((user + system) / 1e6).toFixed(1)} CPU s`);
if (found.violation !== undefined) {
  process.exitCode = 1;
  say(`VIOLATION: ${found.violation.reason}`);
  for (const line of found.violation.path) say(`  ${line}`);
}
