import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { temporaryDirectory } from 'svc-base/testing';
import type { TabMinerEvent } from 'svc-miner/browser';
import { bundleForBrowser } from '../../../tools/testing/bundle.ts';
import {
  BROWSER_MILLIS_MAX,
  findChromium,
  launchChromium,
} from '../../../tools/testing/chromium.ts';
import { type StaticServer, serveFolder } from '../../../tools/testing/static-server.ts';
import {
  makeCuts,
  type NetworkFacts,
  Program,
  readJson,
  startNetwork,
} from '../../mining/test/server/testing/processes.ts';
import type { BridgeFacts } from './bridge-facts.ts';

const executable = findChromium();
const PASSED_OVER = 'passed over: no Chromium on this machine';
const PAGE = `<!doctype html><meta charset="utf-8"><title>miner</title><script type="module">
  import { TabMiner } from '/tab-miner.js';
  globalThis.events = [];
  globalThis.mine = (options) => {
    const worker = new Worker('/mining-worker.js', { type: 'module' });
    globalThis.miner = new TabMiner(worker, (event) => globalThis.events.push(event));
    globalThis.miner.start(options);
  };
</script>`;

interface BlockDocument {
  readonly payout_address: string;
  readonly miner_tag: string;
  readonly registered_cut: object | null;
  readonly reward: { readonly state: string };
}

describe('a miner in a page, through a bridge', () => {
  const directory = temporaryDirectory({ after });
  let browser: Browser;
  let site: StaticServer;
  let network: Program;
  let bridge: Program;
  let facts: NetworkFacts;
  let url = '';

  before(async () => {
    if (executable === undefined) return;
    const source = (path: string): string =>
      fileURLToPath(new URL(`../../miner/src/browser/${path}`, import.meta.url));
    for (const name of ['tab-miner', 'mining-worker'])
      await bundleForBrowser(source(`${name}.ts`), join(directory, `${name}.js`));
    copyFileSync(
      fileURLToPath(import.meta.resolve('svc-wasm/svc.wasm')),
      join(directory, 'svc.wasm'),
    );
    writeFileSync(join(directory, 'index.html'), PAGE);
    site = await serveFolder(directory);
    network = startNetwork(directory, ['--no-wallet']);
    facts = await network.facts<NetworkFacts>();
    await makeCuts(facts.api_url, 1);
    const any = '127.0.0.1:0';
    bridge = new Program(
      'svc-bridge',
      [
        ...['--node', facts.mining_url, '--listen', 'off', '--listen-ws', any],
        ...['--ws-origin', site.url, '--stats', any, '--metrics', any],
        ...['--pow', 'light', '--difficulty', '64', '--json'],
      ],
      directory,
    );
    url = `ws://${(await bridge.facts<BridgeFacts>()).listen_ws[0]}/`;
    browser = await launchChromium(executable);
  });

  after(async () => {
    await browser?.close();
    await bridge?.stop();
    await network?.stop();
    await site?.close();
  });

  /** Opens the page, mines until an event holds or mining fails, and stops; everything that was told. */
  async function mineUntil(
    options: { readonly username: string; readonly tag?: string },
    condition: string,
  ): Promise<TabMinerEvent[]> {
    const tab = await browser.newPage();
    tab.setDefaultTimeout(BROWSER_MILLIS_MAX);
    try {
      await tab.goto(`${site.url}/index.html`);
      await tab.waitForFunction('globalThis.mine !== undefined');
      const words = JSON.stringify({ ...options, url, kernelUrl: '/svc.wasm' });
      await tab.evaluate(`globalThis.mine(${words})`);
      const isOver = `event.type === 'failed' || (${condition})`;
      await tab.waitForFunction(`globalThis.events.some((event) => ${isOver})`);
      await tab.evaluate('globalThis.miner.stop()');
      return await tab.evaluate<TabMinerEvent[]>('globalThis.events');
    } finally {
      await tab.close();
    }
  }

  test('[STRATUM-05] a block that a page has mined over WebSocket is registered and paid to its address', async (t) => {
    if (executable === undefined) return t.skip(PASSED_OVER);
    const address = facts.accounts[4]?.address as string;
    const events = await mineUntil(
      { username: `${address}.tab`, tag: 'from a page' },
      "event.type === 'share' && event.block === 'accepted'",
    );
    assert.deepEqual(
      events.filter(({ type }) => type === 'failed'),
      [],
    );
    const types = new Set(events.map(({ type }) => type));
    for (const type of ['connected', 'preparing', 'searching', 'statistics', 'stopped'] as const)
      assert.ok(types.has(type), type);
    await makeCuts(facts.api_url, 3);
    const { blocks } = await readJson<{ blocks: { block_id: string }[] }>(
      `${facts.api_url}/v1/blocks/recent?limit=100`,
    );
    await makeCuts(facts.api_url, 98);
    const found: BlockDocument[] = [];
    for (const { block_id: id } of blocks)
      found.push(await readJson<BlockDocument>(`${facts.api_url}/v1/blocks/${id}`));
    const own = found.filter(({ miner_tag: tag }) => tag === 'from a page');
    assert.ok(own.length >= 1);
    for (const block of own) {
      assert.equal(block.payout_address, address);
      assert.notEqual(block.registered_cut, null);
      assert.equal(block.reward.state, 'paid');
    }
  });

  test('a page is told why its server refuses it', async (t) => {
    if (executable === undefined) return t.skip(PASSED_OVER);
    const events = await mineUntil(
      { username: 'svc1notours.tab' },
      "event.type === 'disconnected'",
    );
    const [lost] = events.filter((event) => event.type === 'disconnected');
    assert.match(lost?.reason ?? '', /username: not bech32m/);
    assert.ok(!events.some(({ type }) => type === 'searching'));
  });
});
