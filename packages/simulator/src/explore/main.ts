/**
 * Explores the pure machine: four validators, one of them Byzantine, two cuts, two rounds.
 *
 * Usage: node tools/bootstrap.mjs packages/simulator/src/explore/main.ts [--states N]
 *   [--moves lazy|plain] [--walks N]
 *
 * `--states` is the number of distinct states to explore in each of the worlds, unless there are no
 * more; two million are more than all of any by lazy moves. `--walks` are random walks by plain moves
 * that must reach nothing that the exploration has not.
 */
import { parseArgs } from 'node:util';
import { Random } from '../base/random.ts';
import { Explorer } from './search/explore.ts';
import type { World } from './search/node-table.ts';
import { projectionOf } from './search/projection.ts';
import { renamingsOf } from './search/symmetry.ts';
import { Walker } from './search/walk.ts';
import { describeWorld, WORLDS } from './search/worlds.ts';

const WALK_STEPS = 160;

const { values } = parseArgs({
  options: {
    states: { type: 'string', default: '1000000' },
    moves: { type: 'string', default: 'lazy' },
    walks: { type: 'string', default: '0' },
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
  const explorer = new Explorer(world, { statesMax, moves });
  const found = explorer.run();
  const { user, system } = process.cpuUsage(start);
  states += found.states;
  say(describeWorld(world));
  say(`  ${found.states} states, ${found.isComplete ? 'all there are' : 'more exist'}`);
  say(`  depth ${found.depth}, ${found.transitions} transitions, ${found.nodeStates} node states`);
  say(`  a cut can be decided in ${found.decidable}`);
  say(`  rows ${found.rows.join(' ')}; ${((user + system) / 1e6).toFixed(1)} CPU s`);
  if (found.isComplete) walk(world, explorer);
  if (found.violation === undefined) continue;
  process.exitCode = 1;
  say(`  VIOLATION: ${found.violation.reason}`);
  for (const line of found.violation.path) say(`    ${line}`);
}
say(`${states} distinct states in ${WORLDS.length} worlds`);

/** Reports what random walks reached that the exploration did not know. */
function walk(world: World, explorer: Explorer): void {
  const walks = Number(values.walks);
  if (!Number.isSafeInteger(walks) || walks < 0)
    throw new Error(`--walks ${values.walks}: a count`);
  if (walks === 0) return;
  const known = explorer.projections();
  const renamings = renamingsOf(world);
  const walker = new Walker(world, new Random(1));
  const reached = new Set<string>();
  for (let count = 0; count < walks; count++)
    for (const sent of walker.walk(WALK_STEPS)) reached.add(projectionOf(sent, renamings));
  const unknown = [...reached].filter((projection) => !known.has(projection));
  say(`  ${reached.size} of ${known.size} sets of signatures met by ${walks} walks`);
  if (unknown.length === 0) return;
  process.exitCode = 1;
  say(`  NOT KNOWN: ${unknown.length}, such as ${unknown[0]}`);
}
