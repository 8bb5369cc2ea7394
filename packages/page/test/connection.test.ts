/**
 * What the page shows of its node, in a real browser: a connection that is cut, a node that restarts, one that is behind,
 * and one whose chain was reverted.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import {
  BROWSER_MILLIS_MAX,
  findChromium,
  launchChromium,
} from '../../../tools/testing/chromium.ts';
import { Caller } from '../../node/test/dev/kit.ts';
import { LyingProxy } from './testing/lying-proxy.ts';

const chromium = findChromium();
const skip = chromium === undefined ? 'passed over: no Chromium on this machine' : false;
const BEHIND = 7;
/** Less than a socket may be silent. */
const SLEEP_MILLIS = 30_000;
/** More than the page waits between readings. */
const READ_MILLIS = 1_000;

/** A sync document, or the frame that carries one, of a node that is behind. */
function made(behind: number, text: string): string {
  return JSON.stringify(JSON.parse(text), (_, value: unknown) =>
    typeof value === 'object' && value !== null && 'behind_by' in value
      ? { ...value, synced: false, behind_by: behind }
      : value,
  );
}

describe('what the page says of its node', { skip }, () => {
  let caller: Caller;
  let proxy: LyingProxy;
  let browser: Browser;
  let context: BrowserContext;

  before(async () => {
    caller = await Caller.start({ cutTime: 'manual', validators: 1, miner: false });
    await caller.network.mine(3);
    proxy = await LyingProxy.start(caller.base);
    browser = await launchChromium(chromium as string);
    context = await newContext();
  });

  /** Its pages remember everything that they have said of their connection. */
  const newContext = async (): Promise<BrowserContext> => {
    const made = await browser.newContext({ reducedMotion: 'reduce' });
    made.setDefaultTimeout(BROWSER_MILLIS_MAX);
    await made.addInitScript(() => {
      const said: string[] = [];
      Object.assign(globalThis, { said });
      new MutationObserver(() => {
        const text = document.querySelector('.fresh')?.textContent?.trim() ?? '';
        if (said.at(-1) !== text) said.push(text);
      }).observe(document, { subtree: true, childList: true, characterData: true });
    });
    return made;
  };

  after(async () => {
    await browser?.close();
    await proxy?.close();
    await caller?.close();
  });

  const headingOf = (page: Page, height: number): Promise<void> =>
    page.getByRole('heading', { name: `Cut ${height}`, exact: true, level: 1 }).waitFor();

  /** Everything that the page has said of its connection, in order. */
  const saidBy = (page: Page): Promise<string[]> =>
    page.evaluate(() => (globalThis as unknown as { said: string[] }).said);

  test('a connection that is cut: stale since when, and right again once it is back', async () => {
    const page = await context.newPage();
    await page.goto(`${proxy.url}/ui`);
    await page.waitForSelector('.fresh.live');
    proxy.pause();
    await page.waitForSelector('.fresh.lost');
    assert.match((await page.locator('.fresh').textContent()) ?? '', /stale since \d\d:\d\d:\d\d$/);
    await page.getByText('The node has not answered since').waitFor();
    await caller.network.mine(3);
    proxy.resume();
    await page.waitForSelector('.fresh.live');
    await headingOf(page, caller.height);
    assert.equal(await page.locator('.notices').count(), 0);
    await page.close();
  });

  test('a machine that slept, its socket dead and not closed: stale since then, and right again', async () => {
    // A stopped clock is stopped for all pages of its context.
    const sleeping = await newContext();
    const page = await sleeping.newPage();
    await page.clock.install();
    await page.goto(`${proxy.url}/ui`);
    await page.waitForSelector('.fresh.live');
    await headingOf(page, caller.height);
    proxy.silence();
    await caller.network.mine(2);
    // The clock of the page jumps and then stops: a timeout for silence cannot expire.
    const before = await page.evaluate(() => Date.now());
    await page.clock.pauseAt(before + SLEEP_MILLIS);
    await page.waitForFunction(() => {
      const { said } = globalThis as unknown as { said: readonly string[] };
      const stale = said.findIndex((text) => text.startsWith('stale since'));
      return stale >= 0 && said.indexOf('live', stale) > stale;
    });
    await page.clock.runFor(READ_MILLIS);
    await headingOf(page, caller.height);
    await sleeping.close();
  });

  test('a node that restarts: stale for as long as it took, and nothing to worry about', async () => {
    const page = await context.newPage();
    await page.goto(`${caller.base}/ui`);
    await page.waitForSelector('.fresh.live');
    await caller.network.snapshot();
    await caller.network.mine(1);
    await headingOf(page, caller.height);
    await page.waitForSelector('.fresh.live');
    const said = await saidBy(page);
    const lost = said.findIndex((text) => text.startsWith('stale since'));
    assert.ok(lost > 0 && said.indexOf('live', lost) > lost, said.join(', '));
    assert.equal(await page.locator('.notices').count(), 0);
    await page.close();
  });

  test('a node that is behind: by how many cuts, until it has caught up', async () => {
    const page = await context.newPage();
    let behind = BEHIND;
    const changed = (text: string): string => (behind > 0 ? made(behind, text) : text);
    await page.route('**/v1/node/sync', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: changed(await response.text()) });
    });
    await page.routeWebSocket(/\/v1\/ws/, (socket) => {
      const node = socket.connectToServer();
      node.onMessage((frame) => socket.send(typeof frame === 'string' ? changed(frame) : frame));
    });
    await page.goto(`${caller.base}/ui`);
    await page.getByText(`${BEHIND} cuts behind`).waitFor();
    behind = 0;
    await caller.network.mine(1);
    await page.waitForSelector('.fresh.live');
    await page.close();
  });

  test('a chain that was reverted: from where to where, and that it contradicts what was proven', async () => {
    const name = await caller.network.snapshot();
    const kept = caller.height;
    await caller.network.mine(2);
    const taken = caller.height;
    const page = await context.newPage();
    await page.goto(`${caller.base}/ui`);
    await headingOf(page, taken);
    await page.waitForSelector('[data-mark="checked"]');
    assert.equal(await caller.network.revert(name), kept);
    await page.getByText(`The node went back from cut ${taken} to cut ${kept}.`).waitFor();
    await headingOf(page, kept);
    await page.waitForSelector('[data-mark="wrong"]');
    await page.getByRole('button', { name: 'Understood' }).click();
    await page.locator('.notices').waitFor({ state: 'detached' });
    await page.close();
  });
});
