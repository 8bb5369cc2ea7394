/**
 * Full nodes under seeds: `node tools/bootstrap.mjs packages/simulator/src/full/main.ts [seeds] [from]`.
 */
import { init } from 'svc-wasm';
import { runNodeSeed } from './run-node-seed.ts';

const COMMITTEE = { validatorsMin: 4, validatorsMax: 4 };

const [seeds = 100, from = 1] = process.argv.slice(2).map(Number);
await init();
const begun = process.cpuUsage();
const totals = { seeds: 0, failed: 0, heights: 0, crashes: 0, blocksMined: 0, events: 0 };
for (let seed = from; seed < from + seeds; seed++) {
  const result = await runNodeSeed(seed, COMMITTEE);
  totals.seeds += 1;
  totals.heights += result.heights;
  totals.crashes += result.crashes;
  totals.blocksMined += result.blocksMined;
  totals.events += result.events;
  if (result.failure === undefined) continue;
  totals.failed += 1;
  const { checker, detail } = result.failure;
  process.stdout.write(`seed ${seed} failed: ${checker}: ${detail}\n`);
}
const { user, system } = process.cpuUsage(begun);
const rate = (totals.seeds * 1e6) / (user + system);
process.stdout.write(`${JSON.stringify(totals)}, ${rate.toFixed(1)} seeds a CPU second\n`);
process.exitCode = totals.failed === 0 ? 0 : 1;
