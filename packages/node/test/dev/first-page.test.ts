/**
 * The first page of a node in a browser: whole without scripts, light and dark, on a phone, without a complaint
 * in the console.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { ROUTE_LIST } from 'svc-api';
import {
  BROWSER_MILLIS_MAX,
  findChromium,
  launchChromium,
} from '../../../../tools/testing/chromium.ts';
import { callNetwork } from './kit.ts';

const DESK = { width: 1_200, height: 900 };
const PHONE = { width: 390, height: 844 };
/** What the guidelines for accessible text ask for. */
const CONTRAST_MIN = 4.5;

/** The lowest contrast of a text with what lies behind it, and where; runs in the browser. */
function lowestContrast(): { ratio: number; text: string } {
  const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color: string) => {
    const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element: Element | null): string => {
    if (element === null) return 'rgb(255, 255, 255)';
    const { backgroundColor } = getComputedStyle(element);
    return channels(backgroundColor)[3] === 0 ? behind(element.parentElement) : backgroundColor;
  };
  let lowest = { ratio: Number.POSITIVE_INFINITY, text: '' };
  for (const element of document.querySelectorAll('h1,h2,p,a,dt,dd,span,footer,code')) {
    const [a, b] = [luminance(getComputedStyle(element).color), luminance(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < lowest.ratio) lowest = { ratio, text: element.textContent ?? '' };
  }
  return lowest;
}

test('the first page in a browser: no complaint, readable without scripts, light and dark, on a phone', async (t) => {
  const chromium = findChromium();
  if (chromium === undefined) return t.skip('passed over: no Chromium on this machine');
  const caller = await callNetwork(t, { cutTime: 'manual', validators: 1, miner: false });
  await caller.network.mine(2);
  const browser = await launchChromium(chromium);
  t.after(() => browser.close());

  const open = async (options: BrowserContextOptions): Promise<Page> => {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(BROWSER_MILLIS_MAX);
    const page = await context.newPage();
    page.on('console', (message) => assert.fail(`console: ${message.text()}`));
    page.on('pageerror', (error) => assert.fail(String(error)));
    page.on('requestfailed', (request) => assert.fail(`cannot load ${request.url()}`));
    assert.equal((await page.goto(caller.base))?.status(), 200);
    return page;
  };

  const backgrounds = new Set<string>();
  for (const [colorScheme, viewport] of [
    ['light', DESK],
    ['dark', PHONE],
  ] as const) {
    const page = await open({ colorScheme, viewport });
    const { ratio, text } = await page.evaluate(lowestContrast);
    assert.ok(ratio >= CONTRAST_MIN, `${colorScheme}: ${ratio.toFixed(2)} at ${text}`);
    backgrounds.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= viewport.width, `${wide} pixels wide`);
  }
  assert.equal(backgrounds.size, 2);

  const plain = await open({ javaScriptEnabled: false, viewport: DESK });
  for (const { path } of ROUTE_LIST)
    assert.ok(await plain.getByText(path, { exact: true }).first().isVisible(), path);
  await plain.getByRole('navigation').getByText('Sockets').click();
  assert.match(plain.url(), /#sockets$/);
});
