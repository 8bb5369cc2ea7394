/**
 * Headless Chromium for browser tests: the one the machine has, never one that is downloaded.
 */
import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The path of an installed Chromium; `SVC_CHROMIUM` names another one. */
export function findChromium(): string | undefined {
  const named = process.env['SVC_CHROMIUM'];
  return [...(named === undefined ? [] : [named]), ...PLACES].find((path) => existsSync(path));
}

/** How long a browser may take for anything, on a machine however busy. */
export const BROWSER_MILLIS_MAX = 240_000;

/**
 * What Chromium does not need for a test. The suggestions of the address bar are pages of their own in every window, of
 * about a second of processor each. This list takes the place of the one that playwright would name, whose other
 * entries are here as well: requests to elsewhere, and what would come between a test and its page.
 */
const FEATURES_DISABLED = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

export async function launchChromium(executablePath: string): Promise<Browser> {
  return await chromium.launch({
    executablePath,
    args: ['--no-sandbox', `--disable-features=${FEATURES_DISABLED.join(',')}`],
    timeout: BROWSER_MILLIS_MAX,
  });
}
