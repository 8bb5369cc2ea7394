/**
 * The page in a real browser against a real network: every screen at both ends of the widths, its marks, its search, and
 * a node that lies.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { StakingValidators } from 'svc-api';
import { Account, createClient, createMessenger } from 'svc-client';
import { burnAddress } from 'svc-wasm';
import {
  BROWSER_MILLIS_MAX,
  findChromium,
  launchChromium,
} from '../../../tools/testing/chromium.ts';
import { Caller } from '../../node/test/dev/kit.ts';
import { payFromTab } from '../src/prove/pay.ts';
import { LIES } from './testing/lies.ts';
import { accessibilityProblems, DESK, lookAt } from './testing/look.ts';
import { LyingProxy } from './testing/lying-proxy.ts';

const COIN = 100_000_000n;
/** More than the focus stops of any screen. */
const KEYS_MAX = 200;
/** Screens that show nothing of the chain by themselves, and those whose figures the node signs. */
const UNMARKED: readonly string[] = ['verify', 'desk', 'tools', 'api', 'wallet'];
const SIGNED: readonly string[] = ['cuts', 'block', 'mempool', 'node', 'validator'];

const chromium = findChromium();
const skip = chromium === undefined ? 'passed over: no Chromium on this machine' : false;

describe('the page in a browser', { skip }, () => {
  let caller: Caller;
  let proxy: LyingProxy;
  let browser: Browser;
  let context: BrowserContext;
  /** The one tab that most tests use, one after the other: a tab of its own for each would load everything anew. */
  let tab: Page;
  let payment = '';
  let paths: Readonly<Record<string, string>> = {};

  before(async () => {
    caller = await Caller.start({ cutTime: 'manual', validators: 4, miner: true });
    await caller.network.mine(6);
    payment = await caller.pay({ from: 0, to: 1, amount: 1_250n * COIN });
    const status = await caller.minedStatus(payment);
    assert.equal(status.lifecycle, 'finalized');
    await caller.network.mine(2);
    proxy = await LyingProxy.start(caller.base);
    browser = await launchChromium(chromium as string);
    context = await browser.newContext({ viewport: DESK, reducedMotion: 'reduce' });
    context.setDefaultTimeout(BROWSER_MILLIS_MAX);
    tab = await silentTab();
    const block = status.observed_work?.block_id as string;
    const list = await caller.get<StakingValidators>('/v1/staking/validators');
    paths = {
      overview: '',
      cuts: '/cuts',
      cut: `/cut/${status.finalized_cut?.height}`,
      block: `/block/${block}`,
      transaction: `/tx/${payment}`,
      address: `/address/${caller.accountText(1)}`,
      mempool: '/mempool',
      validators: '/validators',
      economics: '/economics',
      node: '/node',
      verify: '/verify',
      tools: '/tools',
      api: '/api',
      desk: '/dev',
      wallet: '/wallet',
      validator: `/validator/${list.body.validators[0]?.validator}`,
    };
  });

  after(async () => {
    await browser?.close();
    await proxy?.close();
    await caller?.close();
  });

  /** A tab whose console stays silent. */
  const silentTab = async (): Promise<Page> => {
    const page = await context.newPage();
    page.on('console', (message) => assert.fail(`console: ${message.text()}`));
    page.on('pageerror', (error) => assert.fail(String(error)));
    return page;
  };

  /** A screen in the one tab, loaded by its address; from the node itself if no other origin is named. */
  const openAt = async (path: string, origin = caller.base): Promise<Page> => {
    await tab.emulateMedia({ colorScheme: 'light' });
    await tab.setViewportSize(DESK);
    await tab.goto(`${origin}/ui${path}`);
    return tab;
  };

  const markOf = (page: Page, state: string) => page.waitForSelector(`[data-mark="${state}"]`);

  test('every screen, light and dark, 360, 768 and 1,600 pixels wide', async () => {
    const page = await openAt('');
    const problems: string[] = [];
    for (const [name, path] of Object.entries(paths)) {
      const answer = await fetch(`${caller.base}/ui${path}`);
      assert.match(
        answer.headers.get('content-security-policy') ?? '',
        /script-src 'self' 'wasm-unsafe-eval';/,
      );
      await page.evaluate((to) => {
        history.pushState(null, '', to);
        dispatchEvent(new PopStateEvent('popstate'));
      }, `/ui${path}`);
      await page.waitForSelector('h1');
      await page.waitForFunction(() => document.querySelector('main .loading') === null);
      if (!UNMARKED.includes(name))
        await markOf(page, SIGNED.includes(name) ? 'signed' : 'checked');
      if (name === 'validator') await page.waitForSelector('.calendar .present');
      problems.push(...(await lookAt(page, name, name === 'overview')));
    }
    assert.deepEqual(problems, []);
  });

  test('search by keyboard, links without loading, the raw answers of a screen', async () => {
    const page = await openAt('');
    await markOf(page, 'checked');
    await page.keyboard.press('/');
    await page.keyboard.type(payment);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/ui/tx/${payment}`);
    assert.equal(await page.evaluate(() => performance.getEntriesByType('navigation').length), 1);
    await page.getByText('Finalized', { exact: true }).waitFor();
    await page.getByText('request behind this').click();
    await page.getByText(`curl '${caller.base}/v1/transactions/${payment}'`).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('no such thing');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Nothing here has that name.').waitFor();
    await page.goto(`${caller.base}/ui/${payment}`);
    await page.waitForURL(`**/ui/tx/${payment}`);
  });

  test('keys alone lead past the navigation, through tabs and into a proof', async () => {
    const page = await openAt(paths['cut'] as string);
    await markOf(page, 'checked');
    const focused = (selector: string): Promise<boolean> =>
      page.evaluate((wanted) => document.activeElement?.matches(wanted) === true, selector);
    const tabTo = async (selector: string): Promise<void> => {
      for (let keys = 0; keys < KEYS_MAX; keys++) {
        await page.keyboard.press('Tab');
        if (await focused(selector)) return;
      }
      assert.fail(`${selector} is not reached by keys`);
    };
    await page.keyboard.press('Tab');
    assert.ok(await focused('a.skip'), 'the first key leads to the content');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash === '#main');
    await page.keyboard.press('Tab');
    assert.ok(await focused('main *'), 'the navigation is passed over');
    await tabTo('[role="tab"][aria-selected="true"]');
    const first = await page.evaluate(() => document.activeElement?.textContent);
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction((before) => {
      const { activeElement } = document;
      const isSelected = activeElement?.matches('[role="tab"][aria-selected="true"]') === true;
      return isSelected && activeElement.textContent !== before;
    }, first);
    await page.locator('[data-mark]').focus();
    await page.keyboard.press('Enter');
    await page.getByText('What the node shows is what was proven').waitFor();
  });

  test('a list of a cut that is longer than a page is shown page by page', async () => {
    const page = await openAt(paths['cut'] as string);
    // The node is asked for one row at a time: its lists are then as long as those of cuts with thousands of payments.
    await page.route(/\/changes\?limit=64/, (route) =>
      route.continue({ url: route.request().url().replace('limit=64', 'limit=1') }),
    );
    await page.getByRole('tab', { name: 'Changes' }).click();
    const rows = page.locator('main tbody tr');
    await page.getByText('1 to 1', { exact: true }).waitFor();
    const first = await rows.textContent();
    assert.ok(await page.getByRole('button', { name: 'Before' }).isDisabled());
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('2 to 2', { exact: true }).waitFor();
    assert.deepEqual([await rows.count(), (await rows.textContent()) === first], [1, false]);
    await page.getByRole('button', { name: 'Before' }).click();
    await page.getByText('1 to 1', { exact: true }).waitFor();
    assert.equal(await rows.textContent(), first);
    await page.unroute(/\/changes\?limit=64/);
  });

  test('the console asks any route, follows a topic and lists errors; tools compute in the tab', async () => {
    const page = await openAt('/api');
    await page.getByLabel('Route').selectOption('GET /v1/cuts/{height}');
    await page.getByLabel('height · path').fill('1');
    await page.getByText(`curl '${caller.base}/v1/cuts/1'`).waitFor();
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByLabel('The answer').getByText('"height": 1', { exact: false }).waitFor();
    await page.getByRole('tab', { name: 'Socket' }).click();
    await page.getByText('read the state over HTTP now: subscribed').waitFor();
    await caller.network.mine(1);
    await page.getByText(`"height":${caller.height}`, { exact: false }).first().waitFor();
    await page.getByRole('tab', { name: 'Errors' }).click();
    await page.getByRole('cell', { name: 'not_found', exact: true }).waitFor();
    await page.goto(`${caller.base}/ui/tools`);
    await page.getByText('1.25 coins are 125,000,000 atoms.').waitFor();
    const request = page.locator('section.card', { hasText: 'Payment request' });
    await request.getByLabel('Address').fill(caller.accountText(1));
    await request.getByLabel('Coins').fill('2.5');
    await request.getByRole('button').first().click();
    await request.getByText(`svc:${caller.accountText(1)}?amount=2.5`).waitFor();
    await request.getByRole('img').waitFor();
    const addresses = page.locator('section.card', { hasText: 'Addresses of words' });
    await addresses.getByLabel('24 words').fill(caller.network.facts.words);
    await addresses.getByRole('button').click();
    await addresses.getByText(caller.accountText(0)).waitFor();
    const decode = page.locator('section.card', { hasText: 'Transaction in hexadecimal' });
    const { body } = await caller.get<{ wire_hex: string }>(`/v1/transactions/${payment}`);
    await decode.getByLabel('Signed bytes').fill(body.wire_hex);
    await decode.getByRole('button').click();
    await decode.getByText(payment).waitFor();
    const send = page.locator('section.card', { hasText: 'Send a signed transaction' });
    const wire = await caller.sign({ from: 5, to: 6, amount: COIN });
    await send.getByLabel('Signed bytes to send').fill(Buffer.from(wire).toString('hex'));
    await send.getByRole('button').click();
    await send.locator(`.said a[href$="${caller.idOf(wire)}"]`).waitFor();
    assert.equal((await caller.minedStatus(caller.idOf(wire))).lifecycle, 'finalized');
  });

  test('j and k move through rows, ? lists the keys, and burns are found in the cuts', async () => {
    const words = caller.network.facts.words;
    const to = burnAddress('development');
    const order = { words, from: 4, to, atoms: String(3n * COIN), payloadHex: '' };
    const burn = await payFromTab(caller.base, order);
    assert.equal((await caller.minedStatus(burn)).lifecycle, 'finalized');
    const page = await openAt('/economics');
    await page.getByRole('button', { name: 'Look for burns' }).click();
    await page.getByText('all of them, to the atom').waitFor();
    await page.keyboard.press('j');
    const first = await page.evaluate(() => document.activeElement?.closest('tr')?.textContent);
    assert.match(first ?? '', /an output to the burn address.*3\.00$/);
    await page.locator('nav').getByText('Cuts').click();
    await page.getByRole('heading', { name: 'Cuts', level: 1 }).waitFor();
    await page.locator('main tbody tr').nth(2).waitFor();
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
    const link = await page.evaluate(() => document.activeElement?.getAttribute('href'));
    assert.equal(link, `/ui/cut/${caller.height - 1}`);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${link}`);
    await page.getByLabel('Search').focus();
    await page.keyboard.type('jk?');
    assert.equal(await page.getByLabel('Search').inputValue(), 'jk?');
  });

  test('a transaction that waits is drawn, and its area leads to it', async () => {
    const page = await openAt('/mempool');
    await page.getByText('Nothing waits.').waitFor();
    const id = await caller.pay({ from: 3, to: 2, amount: COIN });
    const areas = page.getByRole('img', { name: 'Waiting transactions: 1' });
    await areas.hover();
    await page.waitForSelector(`canvas[title^="Transaction ${id.slice(0, 6)}"]`);
    await areas.click();
    await page.waitForURL(`**/ui/tx/${id}`);
    assert.equal((await caller.minedStatus(id)).lifecycle, 'finalized');
  });

  test('a transaction is shown step by step, live', async () => {
    const id = await caller.pay({ from: 2, to: 3, amount: 5n * COIN });
    const page = await openAt(`/tx/${id}`);
    await page.waitForSelector('.stepper .now');
    assert.equal((await caller.minedStatus(id)).lifecycle, 'finalized');
    await page.waitForFunction(() => document.querySelectorAll('.stepper .done').length === 4);
    await markOf(page, 'checked');
  });

  test('a payment signed in the tab reaches the chain, and its hostile text stays text', async () => {
    const page = await openAt('/dev');
    const text = '<img src=x onerror=alert(1)> \u202e';
    await page.getByLabel('Words for the receiver').fill(text);
    await page.getByLabel('Coins').fill('2.5');
    await page.getByRole('button', { name: 'Sign and send' }).click();
    const link = page.locator('.said a');
    await link.waitFor();
    const id = ((await link.getAttribute('href')) ?? '').slice(-96);
    assert.equal((await caller.minedStatus(id)).lifecycle, 'finalized');
    await link.click();
    await markOf(page, 'checked');
    const shown = page.getByText('<img src=x onerror=alert(1)> ⟨U+202E⟩');
    await shown.waitFor();
    assert.equal(await page.locator('main img').count(), 0);
    // No block carries such a tag, but a node may answer with one.
    const change = (block: object) => Object.assign(block, { miner_tag: text });
    proxy.lie = { name: 'markup in a tag', where: /^GET \/v1\/blocks\/[0-9a-f]/, change };
    await openAt(paths['block'] as string, proxy.url);
    await shown.waitFor();
    assert.equal(await page.locator('main img').count(), 0);
    proxy.lie = undefined;
  });

  test('a wallet made in the tab gets coins, pays, and is opened again from its file', async () => {
    const page = await openAt('/wallet');
    const made = page.locator('section.card', { hasText: 'Make a wallet' });
    await made.getByLabel('Password').fill('not a secret');
    await made.getByRole('button').click();
    const words = await page.locator('[data-words="new"]').textContent();
    assert.equal(words?.split(' ').length, 24);
    await page.getByRole('button', { name: 'from the faucet' }).click();
    const given = page.locator('.said a');
    await given.waitFor();
    const gift = ((await given.getAttribute('href')) ?? '').slice(-96);
    assert.equal((await caller.minedStatus(gift)).lifecycle, 'finalized');
    await page.locator('.big', { hasText: /^100\.00/ }).waitFor();
    await markOf(page, 'checked');
    const send = page.locator('section.card', { hasText: 'Sign and send' });
    await send.getByLabel('To').fill(caller.accountText(1));
    await send.getByLabel('Coins').fill('2.5');
    await send.getByLabel('Note').fill('<b>tea</b>');
    await send.getByRole('button').click();
    const sent = send.locator('.said a');
    await sent.waitFor();
    const id = ((await sent.getAttribute('href')) ?? '').slice(-96);
    assert.equal((await caller.minedStatus(id)).lifecycle, 'finalized');
    const messages = page.locator('section.card', { hasText: 'Ask for a chat' });
    await messages.getByLabel('Address of a peer').fill(caller.accountText(2));
    await messages.getByRole('button', { name: 'Ask for a chat' }).click();
    const asked = messages.locator('.said a');
    await asked.waitFor();
    const request = ((await asked.getAttribute('href')) ?? '').slice(-96);
    assert.equal((await caller.minedStatus(request)).lifecycle, 'finalized');
    await messages.locator('[data-chat="requested"]').waitFor();
    const { words: publicWords } = caller.network.facts;
    const account = new Account(publicWords, { network: 'development', index: 2 });
    const peer = createMessenger(createClient({ url: caller.base }), account);
    const [{ peer: own } = assert.fail('no chat')] = await peer.chats();
    await caller.minedStatus((await peer.accept(own)).transactionId);
    const said = (await peer.send(own, '<i>hello</i>')).transactionId;
    await caller.minedStatus(said);
    account.free();
    await messages.locator('[data-chat="open"] .received').waitFor();
    assert.match((await messages.locator('.received').textContent()) ?? '', /<i>hello<\/i>$/);
    await messages.getByLabel('Message').fill('good evening');
    await messages.getByRole('button', { name: 'Seal and send' }).click();
    await page.waitForFunction(
      (before) => document.querySelector('.chat ~ .said a')?.getAttribute('href') !== before,
      `/ui/tx/${request}`,
    );
    await asked.waitFor();
    const reply = ((await asked.getAttribute('href')) ?? '').slice(-96);
    assert.equal((await caller.minedStatus(reply)).lifecycle, 'finalized');
    await messages.locator('.chat .sent', { hasText: 'good evening' }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    const saving = page.waitForEvent('download');
    await page.getByText('Save the wallet file').click();
    const file = readFileSync(await (await saving).path());
    await sent.click();
    await page.getByText('For output 0: <b>tea</b>').waitFor();
    await page.goto(`${caller.base}/ui/wallet`);
    await page
      .locator('[data-file="wallet"]')
      .setInputFiles({ name: 'tab.wallet', mimeType: 'application/octet-stream', buffer: file });
    const again = page.locator('section.card', { hasText: 'Open a wallet file' });
    await again.getByText('tab.wallet').waitFor();
    await again.getByLabel('Password').fill('not a secret');
    await again.getByRole('button', { name: 'Open it' }).click();
    await page.locator('.big', { hasText: /^97\.4/ }).waitFor();
  });

  test('first content needs the document alone, and nothing is read twice for a first look', async () => {
    const page = await silentTab();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const script = Promise.withResolvers<void>();
    await page.route(/\/ui\/assets\//, async (route) => {
      await script.promise;
      await route.continue();
    });
    await page.goto(`${caller.base}/ui`, { waitUntil: 'commit' });
    await page.waitForFunction(
      () => performance.getEntriesByName('first-contentful-paint').length === 1,
    );
    script.resolve();
    await page.waitForSelector('.fresh.live');
    await markOf(page, 'checked');
    const documents = ['/transactions/recent', '/blocks/recent', '/economics/emission'];
    for (const name of [...documents, '/node/status', '/cuts'].map((each) => `/v1${each}`))
      assert.deepEqual([name, asked.filter((path) => path === name).length], [name, 1]);
    await page.close();
  });

  test('a cut is one beat of the page, and a page without news draws nothing', async () => {
    await tab.emulateMedia({ reducedMotion: 'no-preference' });
    const page = await openAt('');
    const rests = () => page.waitForFunction(() => document.getAnimations().length === 0);
    await page.waitForSelector('.fresh.live');
    await markOf(page, 'checked');
    await rests();
    await page.evaluate(() => {
      addEventListener('animationstart', ({ animationName }) => {
        document.body.dataset[animationName] = 'seen';
      });
    });
    await caller.network.mine(1);
    await page.waitForSelector('body[data-beat][data-grow]');
    await rests();
    await page.emulateMedia({ reducedMotion: 'reduce' });
  });

  /** Asks for the proof of the screen once more and waits until one has ended. */
  const proveAgain = async (page: Page): Promise<void> => {
    const times = Number(await page.locator('[data-mark]').getAttribute('data-times'));
    await page.getByText('Check again').click();
    await page.waitForFunction(
      (before) =>
        Number(document.querySelector<HTMLElement>('[data-mark]')?.dataset['times']) > before,
      times,
    );
  };

  test('every lie of the table is named on the screen, and the truth is believed again', async (t) => {
    assert.ok(LIES.length >= 20);
    for (const screen of new Set(LIES.map((each) => each.screen))) {
      const page = await openAt(paths[screen] as string, proxy.url);
      await markOf(page, 'checked');
      await page.locator('[data-mark]').click();
      for (const lie of LIES.filter((each) => each.screen === screen)) {
        await t.test(`${screen}: ${lie.name}`, async () => {
          proxy.lie = lie;
          proxy.told = 0;
          await proveAgain(page);
          await markOf(page, 'wrong');
          assert.match((await page.locator('.lie').textContent()) ?? '', lie.says);
          assert.ok(proxy.told > 0);
        });
      }
      proxy.lie = undefined;
      await proveAgain(page);
      await markOf(page, 'checked');
    }
  });
});
