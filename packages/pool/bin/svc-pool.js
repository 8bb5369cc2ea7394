#!/usr/bin/env node
/**
 * Starts `svc-pool`. It is written for old releases of Node too: where the one that runs it cannot run the
 * sources, it hands over to the one that is installed with the project.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const NODE_MAJOR_MIN = 26;

function handOver() {
  const newer = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url));
  if (!existsSync(newer)) {
    process.stderr.write(
      `svc-pool needs Node ${NODE_MAJOR_MIN} or later; this is ${process.version}\n`,
    );
    process.exit(1);
  }
  const words = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(newer, words, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR_MIN) handOver();
else {
  const { main } = await import('../src/main.ts');
  process.exitCode = await main(process.argv.slice(2));
}
