/**
 * Proofs in a real browser against a real network: evidence by file and by link, each claim in plain words, and pins that
 * continue what the browser has certified.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Evidence, TrustDocument } from 'svc-client/evidence';
import {
  BROWSER_MILLIS_MAX,
  findChromium,
  launchChromium,
} from '../../../tools/testing/chromium.ts';
import { Caller } from '../../node/test/dev/kit.ts';
import { fullCutEvidence } from './testing/full-cut-evidence.ts';
import { accessibilityProblems, DESK } from './testing/look.ts';

const COIN = 100_000_000n;
/** An epoch of a development network and a little more. */
const CUTS_SINCE = 130;

const chromium = findChromium();
const skip = chromium === undefined ? 'passed over: no Chromium on this machine' : false;

describe('proofs in a browser', { skip }, () => {
  let caller: Caller;
  let browser: Browser;
  let context: BrowserContext;
  let payment = '';

  before(async () => {
    caller = await Caller.start({ cutTime: 'manual', validators: 4 });
    await caller.network.mine(6);
    payment = await caller.pay({ from: 0, to: 1, amount: 1_250n * COIN });
    assert.equal((await caller.minedStatus(payment)).lifecycle, 'finalized');
    await caller.network.mine(2);
    browser = await launchChromium(chromium as string);
    context = await browser.newContext({ viewport: DESK, reducedMotion: 'reduce' });
    context.setDefaultTimeout(BROWSER_MILLIS_MAX);
  });

  after(async () => {
    await browser?.close();
    await caller?.close();
  });

  /** A tab that has pinned nothing, with a screen loaded by its address. */
  const openAt = async (path: string): Promise<Page> => {
    const page = await context.newPage();
    page.on('pageerror', (error) => assert.fail(String(error)));
    await page.goto(`${caller.base}/ui${path}`);
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    return page;
  };

  const markOf = (page: Page, state: string) => page.waitForSelector(`[data-mark="${state}"]`);

  /** Gives the page an evidence file; returns its verdict. */
  const verdictOn = async (page: Page, content: string): Promise<string | null> => {
    await page.locator('[data-file="evidence"]').setInputFiles({
      name: 'evidence.json',
      mimeType: 'application/json',
      buffer: Buffer.from(content),
    });
    const verdict = page.locator('section.card', { hasText: 'Check an evidence file' });
    return verdict.locator('[data-verdict]').first().getAttribute('data-verdict');
  };

  /** The text of a file that a button of the page saves. */
  const savedBy = async (page: Page, button: string): Promise<string> => {
    const saving = page.waitForEvent('download');
    await page.getByText(button).click();
    return readFileSync(await (await saving).path(), 'utf8');
  };

  test('evidence is proven again from its file alone, and not once it is changed', async () => {
    const page = await openAt(`/address/${caller.accountText(1)}`);
    await markOf(page, 'checked');
    await page.locator('[data-mark]').click();
    const file = await savedBy(page, 'Save evidence');
    await page.goto(`${caller.base}/ui/verify`);
    assert.equal(await verdictOn(page, file), 'checked');
    await page.getByText(/^dsvc1\w+ has [0-9.]+ coins in \d+ outputs after cut/).waitFor();
    // The node shows that the cut of the file is part of the chain that this browser has pinned.
    await page.locator('[data-mark]').click();
    await markOf(page, 'checked');
    await page.reload();
    const { claims } = JSON.parse(file) as Evidence;
    const outputs = claims[0]?.parts['outputs'] ?? assert.fail('no proof in the file');
    const changed = `${outputs.slice(0, -1)}${outputs.endsWith('0') ? '1' : '0'}`;
    assert.equal(await verdictOn(page, file.replace(outputs, changed)), 'wrong');
    await page.reload();
    const { evidence, checkpoint } = fullCutEvidence();
    assert.equal(await verdictOn(page, JSON.stringify(evidence)), 'checked');
    await page.getByText('64 validators with 100 % of the stake signed it').waitFor();
    await page.getByText(/paid 7\.25 coins to tsvc1/).waitFor();
    await page.getByText('“tea for two”').waitFor();
    const load = (text: string) =>
      page.locator('[data-file="checkpoint"]').setInputFiles({
        name: 'checkpoint.json',
        mimeType: 'application/json',
        buffer: Buffer.from(text),
      });
    const refused = page.getByText('That file is no checkpoint.');
    const pinned = page.locator('section.card', { hasText: 'What this browser trusts' });
    const known = await savedBy(page, 'Save checkpoint');
    const { pinnedCutId, height } = JSON.parse(known) as TrustDocument;
    await load(checkpoint);
    await page.getByText('the new pin is of another chain').waitFor();
    await pinned.getByText('Forget it').click();
    // A set of the forger's own under the name of a cut that the reader would find at other nodes.
    const foreign = JSON.parse(checkpoint) as TrustDocument;
    await load(JSON.stringify({ ...foreign, cutId: pinnedCutId, height }));
    await refused.waitFor();
    await load(known);
    await pinned.getByTitle(pinnedCutId).first().waitFor();
    await refused.waitFor({ state: 'detached' });
  });

  test('a link shows an old payment in plain words, and what each line rests on', async () => {
    await caller.network.mine(CUTS_SINCE);
    const page = await openAt(`/tx/${payment}`);
    await page.getByRole('row', { name: /1,250/ }).getByText('prove').click();
    await page.waitForURL(/\/ui\/verify#claims=/);
    await page.getByText(`Transaction ${payment} paid 1250 coins to`).waitFor();
    for (const line of [
      `It was paid from ${caller.accountText(0)}`,
      'It has no note.',
      '1 earlier cut named here is part of the history of cut',
      /is final: (3 validators with 75|4 validators with 100) % of the stake signed it/,
      'pinned now on the word of this node: compare its id with a second source',
      'It never makes a newer cut final',
    ])
      await page.getByText(line).first().waitFor();
    assert.equal(await page.locator('[data-claim="payment"] .rests').count(), 4);
    assert.deepEqual(await accessibilityProblems(page), []);
    const file = await savedBy(page, 'Save evidence');
    assert.equal(await verdictOn(page, file), 'checked');
    const link = page.locator('[data-link="claims"]');
    const target = (await link.getAttribute('href')) ?? '';
    const amount = String(1_250n * COIN);
    assert.ok(decodeURIComponent(target).includes(amount));
    await page.goto('about:blank');
    await page.goto(target.replace(amount, String(1_251n * COIN)));
    await page.getByText('It is wrong: the payment was of').waitFor();
    await page.goto(`${caller.base}/ui/verify`);
    const ask = page.locator('section.card', { hasText: 'Prove something' });
    const lines = [payment, 'supply', `payments ${caller.accountText(1)} 1 20`, 'nonsense'];
    await ask.locator('textarea').fill(lines.join('\n'));
    assert.ok(await ask.getByRole('button', { name: 'Prove' }).isDisabled());
    await ask.locator('textarea').fill(lines.slice(0, 3).join('\n'));
    await ask.getByRole('button', { name: 'Prove' }).click();
    await page.waitForFunction(
      () => document.querySelectorAll('[data-claim] [data-verdict="checked"]').length === 3,
    );
  });

  test('a pin by link is taken if the pinned cut is part of its chain', async () => {
    const page = await openAt(`/tx/${payment}`);
    await markOf(page, 'checked');
    await caller.network.mine(2);
    const height = caller.height - 1;
    const { body } = await caller.get<{ cut: { cut_id: string } }>(`/v1/cuts/${height}`);
    const pinned = page.locator('section.card', { hasText: 'What this browser trusts' });
    const pinBy = async (name: string): Promise<void> => {
      await page.goto('about:blank');
      await page.goto(`${caller.base}/ui/verify#pin=${name}`);
      await pinned.getByRole('button', { name: 'Pin it' }).click();
    };
    await pinBy(`${height}:${'0'.repeat(96)}`);
    await pinned.getByText('not the one of the pin').waitFor();
    await pinBy(`${height}:${body.cut.cut_id}`);
    await pinned.getByText('History proven back to').waitFor();
    await pinned.getByTitle(body.cut.cut_id).first().waitFor();
  });
});
