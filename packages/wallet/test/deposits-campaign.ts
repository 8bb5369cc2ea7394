/**
 * Pays deposits to a shop whose daemon and service are killed meanwhile, and checks that each was credited once.
 *
 * Usage: node tools/bootstrap.mjs packages/wallet/test/deposits-campaign.ts [deposits] [addresses] [kills]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCampaign } from './deposits/run-campaign.ts';

const [deposits = 1_000, addresses = 200, kills = 20] = process.argv.slice(2).map(Number);
const directory = mkdtempSync(join(tmpdir(), 'svc-deposits-'));
const started = Date.now();
const seconds = (): string => ((Date.now() - started) / 1000).toFixed(1);
const print = (text: string): void => void process.stdout.write(`${seconds()} s: ${text}\n`);
try {
  const figures = await runCampaign({ deposits, addresses, kills, directory, onProgress: print });
  print(`every deposit credited once: ${JSON.stringify({ deposits, addresses, ...figures })}`);
} catch (error) {
  print(`FAILED ${error instanceof Error ? error.stack : String(error)}`);
  process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
