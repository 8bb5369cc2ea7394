/**
 * Measures `npm start` in this clone up to its first finalized cut, on an empty directory and then on the one that
 * it left behind.
 *
 * Usage: node packages/node/test/process/start-times.ts
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface StartTimes {
  readonly firstMillis: number;
  readonly secondMillis: number;
}

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const FINAL = / is final\n/;

/** From the call to the line that tells of a final cut. */
async function timeOf(state: string): Promise<number> {
  const begun = performance.now();
  const words = ['start', '--silent', '--', '--port', '0', '--state', state];
  const stdio: StdioOptions = ['ignore', 'ignore', 'pipe'];
  const child = spawn('npm', words, { cwd: ROOT, stdio, detached: true });
  await firstCut(child);
  const millis = performance.now() - begun;
  const gone = once(child, 'exit');
  process.kill(-(child.pid as number), 'SIGINT'); // To all of them, as a terminal does.
  await gone;
  return millis;
}

function firstCut(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (FINAL.test(said)) resolve();
    });
    child.once('exit', () => reject(new Error(`it ended: ${said}`)));
  });
}

export async function measureStarts(): Promise<StartTimes> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-start-'));
  const state = join(directory, 'state');
  try {
    const firstMillis = await timeOf(state);
    return { firstMillis, secondMillis: await timeOf(state) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const { firstMillis, secondMillis } = await measureStarts();
  process.stdout.write(
    `first start ${(firstMillis / 1_000).toFixed(1)} s, second start ${(secondMillis / 1_000).toFixed(1)} s\n`,
  );
}
