/**
 * The simulation of mining with thousands of sessions, which is too long for the suite.
 *
 * Usage: node tools/bootstrap.mjs packages/mining/test/simulation-campaign.ts [miners] [seconds] [seed]
 */
import { checkSimulation, simulate } from './simulation/simulate.ts';

const [miners = 2_000, seconds = 60] = process.argv.slice(2, 4).map(Number);
const [, , , , seed = '1'] = process.argv;
const simulation = simulate({ seed, miners, millis: 1_000 * seconds });
const acknowledged = checkSimulation(simulation);
const { world, difficulties } = simulation;
const middle = difficulties[difficulties.length >> 1];
process.stdout.write(
  `${miners} miners for ${seconds} s, seed ${seed}: ${acknowledged} shares acknowledged and ${world.credited.size} credited, ` +
    `each once; ${difficulties.length} connections at the end, of difficulty ${middle} in the middle; ` +
    `refusals ${JSON.stringify(Object.fromEntries(world.refusals))}\n`,
);
