/**
 * `npm start`: a development network whose state is kept in `.svc-dev`, so that the next start continues with it.
 * Blocks come from a bridge and a miner beside the node, unless cuts are to come as fast as possible or on demand.
 * Further words go to `svcd dev`.
 *
 * Usage: npm start [-- --cut-time 250ms | --port 0 | … | --help]
 */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { followStarter } from '../packages/base/src/start/start-program.js';
import { ROOT } from './check/repository.ts';

/** Asks `bootstrap.mjs` to send signals over the channel. */
const FOLLOWS = 'follows';

const cache = join(ROOT, 'node_modules', '.cache', 'svc');
enableCompileCache(cache);
process.env['NODE_COMPILE_CACHE'] = cache; // Threads do not inherit it otherwise.
// The network ends with the process that started it, however that ended, and an interrupt of a terminal, which reaches both,
// counts once.
if (process.connected) {
  followStarter();
  process.send?.(FOLLOWS);
}
const { main } = await import('../packages/node/src/cli/main.ts');
const words = process.argv.slice(2);
const state = words.some((word) => word === '--state' || word.startsWith('--state='))
  ? []
  : ['--state', join(ROOT, '.svc-dev')];
const isPaced = !words.some((word) => /^(--cut-time=)?(auto|manual)$/.test(word));
const bridge = isPaced ? ['--bridge'] : [];
process.exitCode = await main(['dev', ...state, ...bridge, ...words]);
