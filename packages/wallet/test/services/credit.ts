/**
 * A service that credits deposits, as a process: it runs the program of the documentation until it is killed.
 *
 * Usage: node credit.ts <module> <url> <token> <database>
 */
import type { DepositsProgram } from '../testing/document-program.ts';

const [module = '', url = '', token = '', database = ''] = process.argv.slice(2);
const { creditDeposits } = (await import(module)) as DepositsProgram;
process.stdin.on('end', () => process.exit(0)).resume();
process.stdout.write('running\n');
await creditDeposits({ url, token, database, signal: new AbortController().signal });
