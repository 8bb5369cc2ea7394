/**
 * `npm run bundlers -- [names]`: tries the release of `svc-wasm` with the bundlers and runtimes of
 * `bundlers/bundler-table.ts`: each builds or runs the same small program, and what it finds must be what Node
 * finds. Candidates are installed from npm into a temporary folder; one that cannot be installed is told so and
 * fails the run.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import * as svc from '../packages/protocol/src/entry/node.ts';
import { CANDIDATES, type Candidate } from './bundlers/bundler-table.ts';
import { makeRelease } from './release/release.ts';
import { BROWSER_MILLIS_MAX, findChromium, launchChromium } from './testing/chromium.ts';
import { serveFolder } from './testing/static-server.ts';

const COST = '{"memory_kib":"7168","passes":"5"}';

/** Loads the kernel, makes an address with it, and hashes a password aside. */
const PROGRAM = `
import { addressFromPublicKey, init, openWalletFileAsync, sealWalletFileAsync } from 'svc-wasm';
async function find() {
  await init();
  const address = addressFromPublicKey(new Uint8Array(1952).fill(7), 'development');
  const file = await sealWalletFileAsync('{"a":1}', 'p', '${COST}');
  return address + ' ' + (await openWalletFileAsync(file, 'p'));
}
globalThis.found = find().catch((error) => String(error.stack ?? error));
globalThis.found.then((text) => console.log(text));
`;

async function expected(): Promise<string> {
  await svc.init();
  return `${svc.addressFromPublicKey(new Uint8Array(1952).fill(7), 'development')} {"a":1}`;
}

function install(folder: string, packages: readonly string[]): string | undefined {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  const done = spawnSync('npm', ['install', ...flags, ...packages], {
    cwd: folder,
    encoding: 'utf8',
  });
  return done.status === 0 ? undefined : `cannot be installed: ${done.stderr.slice(0, 500)}`;
}

async function readPage(browser: Browser, folder: string): Promise<string> {
  const server = await serveFolder(folder, {});
  const tab = await browser.newPage();
  tab.setDefaultTimeout(BROWSER_MILLIS_MAX);
  try {
    await tab.goto(`${server.url}/index.html`);
    await tab.waitForFunction('globalThis.found !== undefined');
    return await tab.evaluate<string>('globalThis.found');
  } finally {
    await tab.close();
    await server.close();
  }
}

interface Place {
  readonly folder: string;
  readonly release: string;
  readonly browser: Browser | undefined;
}

/** The release is put beside what was installed afterwards: npm removes what it did not install. */
async function tryOne(
  { packages, kind, use }: Candidate,
  { folder, release, browser }: Place,
): Promise<string> {
  const problem = install(folder, packages);
  if (problem !== undefined) return problem;
  cpSync(release, join(folder, 'node_modules', 'svc-wasm'), { recursive: true });
  const given = await use({ folder });
  if (kind === 'program') return given.trim();
  return browser === undefined ? 'there is no Chromium to open the page' : readPage(browser, given);
}

const names = process.argv.slice(2).map((name) => name.toLowerCase());
const chosen = CANDIDATES.filter(
  ({ name }) => names.length === 0 || names.includes(name.toLowerCase()),
);
const scratch = mkdtempSync(join(tmpdir(), 'svc-bundlers-'));
const executable = findChromium();
const browser = executable === undefined ? undefined : await launchChromium(executable);
try {
  const { folder: release } = await makeRelease(join(scratch, 'release'));
  const wanted = await expected();
  for (const candidate of chosen) {
    const folder = join(scratch, candidate.name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    writeFileSync(join(folder, 'main.js'), PROGRAM);
    const found = await tryOne(candidate, { folder, release, browser }).catch((error: unknown) =>
      String(error),
    );
    const isSame = found === wanted;
    if (!isSame) process.exitCode = 1;
    const line = isSame ? 'works' : `FAILED: ${found}`;
    process.stdout.write(`${candidate.packages.join(' ').padEnd(20)} ${line}\n`);
    rmSync(folder, { recursive: true });
  }
} finally {
  await browser?.close();
  rmSync(scratch, { recursive: true });
}
