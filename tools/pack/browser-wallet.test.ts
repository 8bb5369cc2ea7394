/**
 * The wallet of `docs/integrate/browser-wallet.md` as people build it: from the packed packages, outside the repository, in
 * Chromium, against a network whose clock is that of the wall.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { coins, pay } from 'svc-client';
import { createDevnet } from 'svc-devnet';
import { ROOT } from '../release/paths.ts';
import { BROWSER_MILLIS_MAX, findChromium, launchChromium } from '../testing/chromium.ts';
import { serveFolder } from '../testing/static-server.ts';
import { outsideProject } from './outside-project.ts';

const run = promisify(execFile);
const PAGE = 'docs/integrate/browser-wallet.md';
const LINES_MAX = 60;
const PASSWORD = 'a long password';

function blockOf(kind: string): string {
  const [, text] = readFileSync(join(ROOT, PAGE), 'utf8').split(`\`\`\`${kind}\n`, 2);
  const end = text?.indexOf('```') ?? -1;
  assert.ok(text !== undefined && end > 0, `${PAGE} has no ${kind}`);
  return text.slice(0, end);
}

const SETTINGS = {
  compilerOptions: {
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
  },
  files: ['wallet.ts'],
};

/** What the commands of the page make. */
async function makeSite(project: string): Promise<string> {
  const site = join(project, 'site');
  mkdirSync(site);
  writeFileSync(join(project, 'wallet.ts'), blockOf('ts'));
  await build({
    entryPoints: [join(project, 'wallet.ts')],
    outfile: join(site, 'wallet.js'),
    absWorkingDir: project,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'silent',
  });
  writeFileSync(join(site, 'index.html'), blockOf('html'));
  for (const file of ['svc.wasm', 'password-worker.js'])
    copyFileSync(join(project, 'node_modules', 'svc-wasm', file), join(site, file));
  return site;
}

async function openTab(browser: Browser, url: string): Promise<Page> {
  const tab = await browser.newPage();
  tab.setDefaultTimeout(BROWSER_MILLIS_MAX);
  tab.on('pageerror', (error) => assert.fail(String(error)));
  await tab.goto(url);
  return tab;
}

async function openWallet(tab: Page): Promise<string> {
  await textOf(tab, 'state', /^ready at cut \d+$/);
  await tab.fill('#password', PASSWORD);
  await tab.click('#open button');
  return await textOf(tab, 'address', /^dsvc1[0-9a-z]+$/);
}

/** Waits until an output of the page has a text of this form, and fails with what it has when it never does. */
async function textOf(tab: Page, id: string, form: RegExp): Promise<string> {
  const found = tab.locator(`#${id}`).filter({ hasText: form });
  const text = await found.textContent().catch(async () => {
    const texts = await tab.locator('output').allTextContents();
    return assert.fail(`no ${form} in ${id}: ${texts.join(' | ')}`);
  });
  return text ?? '';
}

test('the program of the page has few lines, and compiles with nothing but the packages', async () => {
  const lines = blockOf('ts')
    .split('\n')
    .filter((line) => line.trim() !== '');
  assert.ok(lines.length <= LINES_MAX, `${lines.length} lines`);
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const project = await outsideProject();
  writeFileSync(join(project, 'wallet.ts'), blockOf('ts'));
  writeFileSync(join(project, 'wallet.json'), JSON.stringify(SETTINGS));
  await run(process.execPath, [compiler, '--project', 'wallet.json'], { cwd: project });
});

test('a wallet in a tab makes keys, proves its balance, pays, and is there again after a reload', async (t) => {
  const chromium = findChromium();
  if (chromium === undefined) return t.skip('passed over: no Chromium on this machine');
  const server = await serveFolder(await makeSite(await outsideProject()));
  t.after(() => server.close());
  await using net = await createDevnet({ cutTime: 500, browserOrigins: [server.url] });
  const browser = await launchChromium(chromium);
  t.after(() => browser.close());
  const tab = await openTab(
    browser,
    `${server.url}/index.html?node=${encodeURIComponent(net.url)}`,
  );

  const address = await openWallet(tab);
  await textOf(tab, 'balance', /^0\.0+ after cut \d+$/);
  const [alice, bob] = net.accounts;
  await pay(net.client, { from: alice, to: address, amount: coins('5') });
  await textOf(tab, 'balance', /^5\.0+ after cut \d+$/);

  const before = await net.client.addressBalance({ address: bob.address });
  await tab.fill('#to', bob.address);
  await tab.fill('#amount', '2');
  await tab.click('#pay button');
  await textOf(tab, 'state', /^finalized$/);
  const after = await net.client.addressBalance({ address: bob.address });
  assert.equal(BigInt(after.balance) - BigInt(before.balance), coins('2'));
  await textOf(tab, 'balance', /^2\.9\d+ after cut \d+$/);

  await tab.fill('#to', 'no address');
  await tab.click('#pay button');
  await textOf(tab, 'state', /^bad_address: /);

  const names = await tab.evaluate(async () =>
    (await indexedDB.databases()).map(({ name }) => name),
  );
  assert.deepEqual(names, [`svc-${net.chainId}`]);
  await tab.reload();
  assert.equal(await openWallet(tab), address);
  await textOf(tab, 'balance', /^2\.9\d+ after cut \d+$/);
});
