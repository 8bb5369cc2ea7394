/**
 * Explores the pure machine: four validators, one of them Byzantine, two cuts, two rounds.
 *
 * Usage: node tools/bootstrap.mjs packages/simulator/src/explore/main.ts [--states N] [--moves lazy|plain]
 *
 * `--states` is the number of distinct states to explore in each of the worlds, unless there are no
 * more.
 */
import { parseArgs } from 'node:util';
import { explore } from './search/explore.ts';
import { describeWorld, WORLDS } from './search/worlds.ts';

const { values } = parseArgs({
  options: {
    states: { type: 'string', default: '1000000' },
    moves: { type: 'string', default: 'lazy' },
  },
});
const statesMax = Number(values.states);
if (!Number.isSafeInteger(statesMax) || statesMax < 1 || statesMax > 50_000_000)
  throw new Error(`--states ${values.states}: expected 1 to 50000000`);
const { moves } = values;
if (moves !== 'lazy' && moves !== 'plain') throw new Error(`--moves ${moves}: lazy or plain`);

const say = (text: string) => process.stdout.write(`${text}\n`);
let states = 0;
for (const world of WORLDS) {
  const start = process.cpuUsage();
  const found = explore(world, { statesMax, moves });
  const { user, system } = process.cpuUsage(start);
  states += found.states;
  say(describeWorld(world));
  say(`  ${found.states} states, ${found.isComplete ? 'all there are' : 'more exist'}`);
  say(`  depth ${found.depth}, ${found.transitions} transitions, ${found.nodeStates} node states`);
  say(`  a cut can be decided in ${found.decidable}`);
  say(`  rows ${found.rows.join(' ')}; ${((user + system) / 1e6).toFixed(1)} CPU s`);
  if (found.violation === undefined) continue;
  process.exitCode = 1;
  say(`  VIOLATION: ${found.violation.reason}`);
  for (const line of found.violation.path) say(`    ${line}`);
}
say(`${states} distinct states in ${WORLDS.length} worlds`);
