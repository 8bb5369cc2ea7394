/**
 * Many seeds of a remote signer: `node tools/bootstrap.mjs packages/simulator/src/signer/main.ts [seeds] [first]`.
 */
import { init } from 'svc-wasm';
import { drawSignerPlan } from './signer-plan.ts';
import { SignerWorld } from './signer-world.ts';

const [seeds = 1_000, first = 1] = process.argv.slice(2).map(Number);
const totals = { signatures: 0, refusals: 0, takeOvers: 0, signerCrashes: 0 };
await init();
for (let seed = first; seed < first + seeds; seed++) {
  const world = new SignerWorld(drawSignerPlan(seed));
  await world.run();
  for (const name of Object.keys(totals) as (keyof typeof totals)[]) totals[name] += world[name];
  if (world.failure === undefined) continue;
  process.stdout.write(`seed ${seed}: ${JSON.stringify(world.failure)}\n`);
  process.exitCode = 1;
}
process.stdout.write(`${seeds} seeds: ${JSON.stringify(totals)}\n`);
