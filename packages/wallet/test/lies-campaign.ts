/**
 * Pays deposits to a wallet whose node lies about them, and checks that none is credited wrongly and each lie is named.
 *
 * Usage: node tools/bootstrap.mjs packages/wallet/test/lies-campaign.ts [deposits]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLies } from './lies/run-lies.ts';

const [deposits = 1_000] = process.argv.slice(2).map(Number);
const directory = mkdtempSync(join(tmpdir(), 'svc-lies-'));
const started = Date.now();
const print = (text: string): void =>
  void process.stdout.write(`${((Date.now() - started) / 1000).toFixed(1)} s: ${text}\n`);
try {
  const onLie = (name: string, told: string): void => print(`${name}: ${told}`);
  const named = await runLies({ deposits, directory, onLie });
  print(`${deposits} deposits credited, none wrongly; ${named} lies named`);
} catch (error) {
  print(`FAILED ${error instanceof Error ? error.stack : String(error)}`);
  process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
