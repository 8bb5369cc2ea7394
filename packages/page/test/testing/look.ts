/**
 * Looks at what a page shows, in both colour schemes and at several widths: nothing overflows to the side, and the
 * accessibility checker finds nothing. Pictures are kept.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ROOT } from '../../../../tools/check/repository.ts';

const SHOTS = join(ROOT, 'packages', 'page', 'build', 'screens');
const AXE = readFileSync(join(ROOT, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');

export const DESK = { width: 1_600, height: 1_000 };
export const TABLET = { width: 768, height: 1_024 };
export const PHONE = { width: 360, height: 760 };
/** Widths around that at which the links of the frame get a line of their own. */
const LAPTOPS = [1_100, 1_279, 1_281, 1_366].map((width) => ({ width, height: 800 }));

type Scheme = 'light' | 'dark';

/** Rules whose outcome colours or the width can change; the others see the same document in every look. */
const APPEARANCE = [
  'aria-hidden-focus',
  'color-contrast',
  'link-in-text-block',
  'scrollable-region-focusable',
];

interface Look {
  readonly scheme: Scheme;
  readonly viewport: { readonly width: number; readonly height: number };
  /** What the checker looks for; nothing if absent. */
  readonly checked?: 'all' | 'appearance';
}

/** The checker is slow: by default it sees everything once, and what colours and widths change once more. */
const USUAL: readonly Look[] = [
  { scheme: 'light', viewport: TABLET },
  { scheme: 'light', viewport: DESK, checked: 'all' },
  { scheme: 'dark', viewport: PHONE, checked: 'appearance' },
];
const FRAME: readonly Look[] = LAPTOPS.map((viewport) => ({ scheme: 'light', viewport }));
const ALL: readonly Look[] = (['light', 'dark'] as const).flatMap((scheme) => [
  ...LAPTOPS.map((viewport) => ({ scheme, viewport })),
  ...[DESK, TABLET, PHONE].map((viewport) => ({ scheme, viewport, checked: 'all' as const })),
]);
const IS_ALL_CHECKED = process.env['SVC_PAGE_CHECKS'] === 'all';

/** What the checker of accessibility finds, each as its rule and where. */
export async function accessibilityProblems(
  page: Page,
  checked: 'all' | 'appearance' = 'all',
): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  return page.evaluate(
    async (rules) => {
      type Checker = {
        run(
          options: object,
        ): Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }>;
      };
      const { axe } = globalThis as unknown as { axe: Checker };
      const { violations } = await axe.run({
        resultTypes: ['violations'],
        ...(rules === undefined ? {} : { runOnly: rules }),
      });
      return violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
      );
    },
    checked === 'all' ? undefined : APPEARANCE,
  );
}

/**
 * Looks at what the page shows now, and lists what the checker found. Both schemes are looked at; the widths at which
 * only the frame changes are tried where that is asked for, or everywhere with `SVC_PAGE_CHECKS=all`.
 */
export async function lookAt(page: Page, name: string, isFrame = false): Promise<string[]> {
  mkdirSync(SHOTS, { recursive: true });
  const problems: string[] = [];
  const usual = isFrame ? [...FRAME, ...USUAL] : USUAL;
  for (const { scheme, viewport, checked } of IS_ALL_CHECKED ? ALL : usual) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize(viewport);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= viewport.width, `${name} is ${wide} pixels wide of ${viewport.width}`);
    if (checked === undefined) continue;
    const at = `${name}, ${scheme}, ${viewport.width}`;
    await page.screenshot({ path: join(SHOTS, `${name}-${scheme}-${viewport.width}.png`) });
    problems.push(...(await accessibilityProblems(page, checked)).map((each) => `${at}: ${each}`));
  }
  return problems;
}
