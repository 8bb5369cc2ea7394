/**
 * A service that pays withdrawals, as a process: it runs the program of the documentation over all orders of a file again
 * and again until it is killed, and says how many it has gone through.
 *
 * Usage: node pay.ts <module> <url> <token> <database> <orders>
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { WithdrawalsProgram } from '../testing/document-program.ts';

const PAUSE_MILLIS = 50;

const [module = '', url = '', token = '', database = '', orders = ''] = process.argv.slice(2);
const { payWithdrawals } = (await import(module)) as WithdrawalsProgram;
process.stdin.on('end', () => process.exit(0)).resume();
process.stdout.write('running\n');
for (;;) {
  const wanted = JSON.parse(readFileSync(orders, 'utf8'));
  await payWithdrawals(url, token, database, wanted);
  process.stdout.write(`through ${wanted.length}\n`);
  await delay(PAUSE_MILLIS);
}
