/**
 * Pays deposits to services of the documentation and lets them pay withdrawals, in TypeScript and in Python, while their node,
 * their wallet daemon and they themselves are killed; then checks that each was credited and paid once.
 *
 * Usage: node tools/bootstrap.mjs packages/wallet/test/services-campaign.ts [--deposits 300] [--withdrawals 300] [--kills 40]
 *   [--addresses 50] [--seed n] [--cut-time 250ms] [--broken deposits|withdrawals]
 *
 * `--broken` makes the programs of a page wrong, and the campaign has to fail: services that credit before they record, or that
 * pay under a name that they have not stored.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Broken } from './services/breaking.ts';
import { runCampaign } from './services/run-campaign.ts';

const { values } = parseArgs({
  options: {
    deposits: { type: 'string', default: '300' },
    withdrawals: { type: 'string', default: '300' },
    kills: { type: 'string', default: '40' },
    addresses: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 32) },
    'cut-time': { type: 'string', default: '250ms' },
    broken: { type: 'string' },
  },
});
const broken = values.broken as Broken | undefined;
const [deposits = 0, withdrawals = 0, kills = 0, addresses = 0, seed = 0] = [
  values.deposits,
  values.withdrawals,
  values.kills,
  values.addresses,
  values.seed,
].map(Number);
// Whoever ends the campaign ends its programs.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => process.exit(1));
const directory = mkdtempSync(join(tmpdir(), 'svc-services-'));
const started = Date.now();
const seconds = (): string => ((Date.now() - started) / 1000).toFixed(1);
const print = (text: string): void => void process.stdout.write(`${seconds()} s: ${text}\n`);
const size = { deposits, withdrawals, kills, addresses, seed };
try {
  print(JSON.stringify(size));
  const figures = await runCampaign({
    ...size,
    broken,
    cutTime: values['cut-time'],
    directory,
    onProgress: print,
  });
  print(`every deposit credited and every withdrawal paid once: ${JSON.stringify(figures)}`);
} catch (error) {
  print(`FAILED ${error instanceof Error ? error.stack : String(error)}`);
  process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
