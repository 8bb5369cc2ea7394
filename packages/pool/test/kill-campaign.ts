/**
 * Kills a pool at random moments, and its node, its wallet daemon, a miner or a bridge before it, and audits shares,
 * blocks, rounds and payouts at the end.
 *
 * Usage: node tools/bootstrap.mjs packages/pool/test/kill-campaign.ts [kills] [seed]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killPrograms } from '../../mining/test/server/testing/processes.ts';
import { runCampaign, type Victim } from './kill/run-campaign.ts';

const VICTIMS: readonly Victim[] = ['pool', 'wallet', 'node', 'miner', 'bridge'];
const [rounds = 50, seed = Date.now() % 2 ** 32] = process.argv.slice(2).map(Number);
const directory = mkdtempSync(join(tmpdir(), 'svc-pool-kill-'));
const started = Date.now();
const print = (text: string): void =>
  void process.stdout.write(`${((Date.now() - started) / 1_000).toFixed(1)} s: ${text}\n`);
// The end of the campaign ends its programs.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => void killPrograms().finally(() => process.exit(1)));
try {
  print(`seed ${seed}`);
  const figures = await runCampaign({
    victims: VICTIMS,
    rounds,
    seed,
    directory,
    onProgress: print,
  });
  print(`every share, reward and payout once: ${JSON.stringify({ kills: rounds, ...figures })}`);
} catch (error) {
  print(`FAILED ${error instanceof Error ? error.stack : String(error)}`);
  process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
