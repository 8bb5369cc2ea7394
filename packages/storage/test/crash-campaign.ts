/**
 * The crash rounds of the test suite, as many as asked for: `node … crash-campaign.ts 1000`. With `logged` after the number the
 * stores log what changes their trees, and no start after the first base may build them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { init } from 'svc-wasm';
import { crashRounds } from './testing/crash-rounds.ts';

/** Roots are recomputed from the genesis, so a new store now and then keeps that short. */
const ROUNDS_PER_STORE = 50;

const wanted = Number(process.argv[2] ?? 1_000);
const isLogged = process.argv[3] === 'logged';
if (!Number.isInteger(wanted) || wanted < 1) throw new Error('expected a number of rounds');
await init();
for (let done = 0; done < wanted; done += ROUNDS_PER_STORE) {
  const directory = mkdtempSync(join(tmpdir(), 'svc-crash-'));
  const rounds = Math.min(ROUNDS_PER_STORE, wanted - done);
  const report = await crashRounds(directory, rounds, Math.random, { isLogged });
  rmSync(directory, { recursive: true, force: true });
  process.stdout.write(`${done + rounds} of ${wanted} rounds: ${JSON.stringify(report)}\n`);
}
