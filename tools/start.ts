/**
 * `npm start`: a development network whose state is kept in `.svc-dev`, so that the next start goes on with it.
 * Further words go to `svcd dev`.
 *
 * Usage: npm start [-- --cut-time 250ms | --port 0 | … | --help]
 */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { ROOT } from './check/repository.ts';

const cache = join(ROOT, 'node_modules', '.cache', 'svc');
enableCompileCache(cache);
process.env['NODE_COMPILE_CACHE'] = cache; // Threads do not inherit it otherwise.
const { main } = await import('../packages/node/src/cli/main.ts');
const words = process.argv.slice(2);
const state = words.some((word) => word === '--state' || word.startsWith('--state='))
  ? []
  : ['--state', join(ROOT, '.svc-dev')];
process.exitCode = await main(['dev', ...state, ...words]);
