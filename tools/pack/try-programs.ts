/**
 * Runs the programs from their tarballs, each installed alone, and a development network whose chain grows.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { PROGRAMS } from './public-packages.ts';
import { type Finding, install, problemOf, tarballOf } from './try-libraries.ts';

const run = promisify(execFile);
const START_MILLIS_MAX = 120_000;

export async function* tryPrograms(scratch: string, tarballs: string): AsyncGenerator<Finding> {
  for (const { name, trial } of PROGRAMS) {
    const folder = join(scratch, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    const failed = await problemOf(() => install(folder, [tarballOf(tarballs, name)]));
    yield { what: `npm install ${name}`, problem: failed };
    const program = join(folder, 'node_modules', name, 'bin', `${name}.js`);
    yield {
      what: [name, ...trial.words].join(' '),
      problem: await problemOf(async () => {
        const { stdout } = await run(process.execPath, [program, ...trial.words], { cwd: folder });
        if (!trial.prints.test(stdout)) throw new Error(`printed ${stdout}`);
      }),
    };
    if (name === 'svcd')
      yield { what: 'svcd dev', problem: await problemOf(() => growChain(program, folder)) };
  }
}

/** Starts a development network with its wallet and waits until it says that it is ready. */
async function growChain(program: string, folder: string): Promise<void> {
  const words = [program, 'dev', '--port', '0', '--json'];
  const child = spawn(process.execPath, words, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MILLIS_MAX);
  try {
    let text = '';
    for await (const line of createInterface(child.stdout)) {
      text += line;
      if (line === '}') break;
    }
    const facts = JSON.parse(text) as { readonly api_url: string };
    const answer = await fetch(`${facts.api_url}/v1/chain/head`);
    if (answer.status !== 200) throw new Error(`the node answered ${answer.status}`);
  } finally {
    child.kill('SIGTERM');
    await ended;
    clearTimeout(timer);
  }
}
