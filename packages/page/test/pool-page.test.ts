/**
 * The page of a pool in a real browser: every screen in both colour schemes at three widths, names that its miners chose,
 * keyboard use, and a pool that stops.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import {
  BROWSER_MILLIS_MAX,
  findChromium,
  launchChromium,
} from '../../../tools/testing/chromium.ts';
import {
  MINER_ADDRESS,
  openPoolWeb,
  type PoolWeb,
  sharesOfDay,
} from '../../pool/src/testing/pool-web.ts';
import { DESK, lookAt } from './testing/look.ts';
import { LyingProxy } from './testing/lying-proxy.ts';

const chromium = findChromium();
const skip = chromium === undefined ? 'passed over: no Chromium on this machine' : false;
const EVIL = '<img src=x onerror=alert(1)>\u202e';
const SHOWN = '<img src=x onerror=alert(1)>⟨U+202E⟩';

describe('the page of a pool in a browser', { skip }, () => {
  let pool: PoolWeb;
  let proxy: LyingProxy;
  let browser: Browser;
  let page: Page;

  before(async () => {
    pool = await openPoolWeb('https://node.example.org/ui');
    await pool.write(sharesOfDay(pool.clock.now(), EVIL));
    proxy = await LyingProxy.start(pool.url);
    browser = await launchChromium(chromium as string);
    const context = await browser.newContext({ viewport: DESK, reducedMotion: 'reduce' });
    context.setDefaultTimeout(BROWSER_MILLIS_MAX);
    page = await context.newPage();
    page.on('pageerror', (error) => assert.fail(String(error)));
  });

  after(async () => {
    await browser?.close();
    await proxy?.close();
    await pool?.close();
  });

  test('every screen, light and dark, 360, 768 and 1,600 pixels wide; workers are text', async () => {
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    const problems: string[] = [];
    const screens = {
      pool: '/',
      'pool-blocks': '/blocks',
      'pool-rounds': '/rounds',
      'pool-payouts': '/payouts',
      'pool-miner': `/miner/${MINER_ADDRESS}`,
    };
    for (const [name, path] of Object.entries(screens)) {
      await page.setViewportSize(DESK);
      await page.goto(`${pool.url}${path}`);
      await page.waitForSelector('.fresh.live');
      await page.waitForFunction(() => document.querySelector('main .loading') === null);
      if (['pool', 'pool-blocks', 'pool-miner'].includes(name))
        await page.getByText(SHOWN, { exact: true }).first().waitFor();
      problems.push(...(await lookAt(page, name)));
      assert.equal(await page.locator('main img').count(), 0);
    }
    assert.deepEqual(problems, []);
    assert.deepEqual(said, []);
    page.removeAllListeners('console');
  });

  test('a day of work is drawn in the colours of the scheme, and written by the hour', async () => {
    await page.setViewportSize(DESK);
    await page.goto(pool.url);
    await page.goto(`${pool.url}/miner?address=${MINER_ADDRESS.toUpperCase()}`);
    await page.waitForURL(`**/miner/*`);
    await page.goBack();
    await page.waitForURL(`${pool.url}/`);
    await page.goForward();
    await page
      .getByRole('img', { name: /^Hash rate of the day, 12\.5 kH\/s on average/ })
      .waitFor();
    await page
      .getByRole('img', { name: /12 found, 18\.8 expected of the work, luck 64 %/ })
      .waitFor();
    await page.getByText('Figures by the hour').first().click();
    await page.getByRole('cell', { name: '01-15 07:00 UTC' }).waitFor();
    const colourIn = async (colorScheme: 'light' | 'dark'): Promise<string> => {
      await page.emulateMedia({ colorScheme });
      return page.locator('svg .bars').evaluate((element) => getComputedStyle(element).fill);
    };
    assert.notEqual(await colourIn('light'), await colourIn('dark'));
  });

  test('keys alone: search for an address, rows, and blocks lead to the explorer', async () => {
    await page.goto(`${pool.url}/blocks`);
    // Rows lead to the explorer once the statistics have named one.
    await page.locator('main tbody a[href^="https://node.example.org/"]').first().waitFor();
    await page.keyboard.press('j');
    const link = await page.evaluate(() => document.activeElement?.getAttribute('href'));
    assert.match(link ?? '', /^https:\/\/node\.example\.org\/ui\/block\/[0-9]{96}$/);
    await page.keyboard.press('/');
    await page.keyboard.type('no such thing');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Nothing here has that name.').waitFor();
    await page.getByLabel('Search').fill(MINER_ADDRESS);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/miner/${MINER_ADDRESS}`);
    await page.getByText('coins, not yet paid').waitFor();
    await page
      .locator(`main a[href="https://node.example.org/ui/address/${MINER_ADDRESS}"]`)
      .waitFor();
    await page.goto(`${pool.url}/miner/dsvc1unknown`);
    await page.getByText('No shares of this address').waitFor();
  });

  test('a pool that goes away: stale since when, and live again once it is back', async () => {
    await page.goto(proxy.url);
    await page.waitForSelector('.fresh.live');
    await page.getByText('svc-miner --url svc+tcp://127.0.0.1:28781').waitFor();
    proxy.pause();
    await page.waitForSelector('.fresh.lost');
    assert.match((await page.locator('.fresh').textContent()) ?? '', /stale since \d\d:\d\d:\d\d$/);
    await page.getByText('The pool has not answered since').waitFor();
    proxy.resume();
    await page.waitForSelector('.fresh.live');
    assert.equal(await page.locator('.notices').count(), 0);
  });
});
