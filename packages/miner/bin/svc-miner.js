#!/usr/bin/env node
/**
 * Starts `svc-miner`. It is written for old releases of Node too: where the one that runs it cannot run the
 * sources, it hands over to the one that is installed with the project.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as modules from 'node:module';
import { constants, homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE_MAJOR_MIN = 26;

function handOver() {
  const newer = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url));
  if (!existsSync(newer)) {
    process.stderr.write(
      `svc-miner needs Node ${NODE_MAJOR_MIN} or later; this is ${process.version}\n`,
    );
    process.exit(1);
  }
  const words = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(newer, words, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/** Below the home directory: what lies in a directory of everybody must not be run. */
function cacheDirectory() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'svc');
}

if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR_MIN) {
  handOver();
} else {
  modules.enableCompileCache(cacheDirectory());
  process.env.NODE_COMPILE_CACHE = cacheDirectory(); // Threads do not inherit it otherwise.
  const { main } = await import('../src/cli/main.ts');
  const code = await main(process.argv.slice(2));
  if (code !== 0) process.exit(code);
}
