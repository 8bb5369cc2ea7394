/** What the scripts that measure the page share: their arguments, and how they print figures. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** A whole number of the command line, from 1 to a limit. */
export function argumentAt(place: number, byDefault: number, max: number): number {
  const value = Number(process.argv[place + 2] ?? byDefault);
  assert.ok(Number.isInteger(value) && value >= 1 && value <= max, `expected 1 to ${max}`);
  return value;
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export const rounded = (value: number): string => value.toFixed(1);

/** Goes to a screen by its name, the overview by none, as a link of the page does. */
export async function goTo(page: Page, screen: string): Promise<void> {
  await page.evaluate(
    (to) => {
      history.pushState(null, '', to);
      dispatchEvent(new PopStateEvent('popstate'));
    },
    screen === '' ? '/ui' : `/ui/${screen}`,
  );
  await page.waitForFunction(() => document.querySelector('main .loading') === null);
}
