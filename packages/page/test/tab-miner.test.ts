/**
 * The miner of the tab on a real development network: with a bridge and a miner beside the node as `npm start` has them,
 * through the node's own socket, in a real browser.
 */
import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { until } from 'svc-base/testing';
import {
  BROWSER_MILLIS_MAX,
  findChromium,
  launchChromium,
} from '../../../tools/testing/chromium.ts';
import { Caller } from '../../node/test/dev/kit.ts';

const SOCKET = '/v1/dev/miner';
const ACCOUNT = 4;
const CUTS_AT_ONCE = 20;

/** Asks for the socket as a page of an origin would; what was answered. */
function handshake(base: string, origin: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = {
    origin,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    'sec-websocket-version': '13',
    'sec-websocket-protocol': 'svc-mining-v1',
  };
  request(`${base}${SOCKET}`, { headers })
    .once('response', (answer) => {
      answer.resume();
      resolve(answer);
    })
    .once('upgrade', resolve)
    .once('error', reject)
    .end();
  return promise;
}

describe('the miner of the tab', () => {
  let caller: Caller;

  before(async () => {
    caller = await Caller.start({ cutTime: 'manual', validators: 1, bridge: true });
    await caller.network.mine(1);
  });

  after(() => caller?.close());

  const chromium = findChromium();
  const skip = chromium === undefined ? 'passed over: no Chromium on this machine' : false;

  test('the desk starts and stops it, shows its shares and blocks, and the chain pays for them', {
    skip,
  }, async (t) => {
    const browser = await launchChromium(chromium as string);
    t.after(() => browser.close());
    const before = await caller.balanceOf(ACCOUNT);
    const page = await browser.newPage();
    page.setDefaultTimeout(BROWSER_MILLIS_MAX);
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${caller.base}/ui/dev`);
    const card = page.locator('section.card', { hasText: 'Mine in this tab' });
    await card.getByLabel('Who is paid').selectOption(String(ACCOUNT));
    await card.getByRole('button', { name: 'Start mining' }).click();
    await card.locator('[data-mining="blocks"]', { hasText: /^[1-9]/ }).waitFor();
    await card.locator('[data-mining="accepted"]', { hasText: /^[1-9]/ }).waitFor();
    await page.locator('nav').getByText('Cuts').click();
    await page.getByRole('heading', { name: 'Cuts', level: 1 }).waitFor();
    await page.locator('nav').getByText('Desk').click();
    await card.locator('[data-mining="blocks"]', { hasText: /^[1-9]/ }).waitFor();
    await card.getByRole('button', { name: 'Stop mining' }).click();
    await card.getByRole('button', { name: 'Start mining' }).waitFor();
    assert.deepEqual(complaints, []);
    await until(async () => {
      await caller.network.mine(CUTS_AT_ONCE);
      return (await caller.balanceOf(ACCOUNT)) > before;
    }, 'a reward for a block of the tab');
  });

  test('its socket is for pages of the node alone, and ends when the node restarts', async () => {
    assert.equal((await handshake(caller.base, 'http://elsewhere.example')).statusCode, 403);
    const opened = await handshake(caller.base, caller.base);
    assert.equal(opened.statusCode, 101);
    assert.equal(opened.headers['sec-websocket-protocol'], 'svc-mining-v1');
    const closed = new Promise<void>((resolve) => opened.socket.once('close', () => resolve()));
    opened.socket.on('error', () => {}).resume();
    await caller.network.snapshot();
    await closed;
    const again = await handshake(caller.base, caller.base);
    assert.equal(again.statusCode, 101);
    again.socket.destroy();
  });
});

test('a network without a bridge says so and refuses the socket; without the page it serves none', async () => {
  const caller = await Caller.start({ cutTime: 'manual', validators: 1, memory: true, ui: false });
  try {
    const { body } = await caller.get<{ miner_socket: string | null }>('/v1/dev');
    assert.equal(body.miner_socket, null);
    assert.equal((await handshake(caller.base, caller.base)).statusCode, 503);
    assert.equal((await fetch(`${caller.base}/ui`)).status, 404);
  } finally {
    await caller.close();
  }
});
