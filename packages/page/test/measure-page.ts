/**
 * Figures of the page in a real browser against a real network: how soon it shows something and is live, what an open page
 * costs the processor, frames a second while cuts full of payments arrive, and memory before and after. A script, because
 * its duration is an argument.
 *
 * Usage: node tools/bootstrap.mjs packages/page/test/measure-page.ts [payments a round, 64] [rounds, 10] [loads, 5]
 * A round submits payments and makes cuts until all of them are final.
 */
import assert from 'node:assert/strict';
import { loadavg } from 'node:os';
import type { Browser, Page } from 'playwright-core';
import {
  BROWSER_MILLIS_MAX,
  findChromium,
  launchChromium,
} from '../../../tools/testing/chromium.ts';
import { quantile } from '../../bench/src/full-cuts-meter.ts';
import { signDraft } from '../../node/src/testing/fixture-wallet.ts';
import { Caller } from '../../node/test/dev/kit.ts';
import { argumentAt, rounded, say } from './testing/measuring.ts';

const VIEWPORT = { width: 1_600, height: 1_000 };
const FEE = 1_000_000n;
/** As the rules of a development network have it. */
const OUTPUTS_MAX = 16;
const PAYERS = 8;
const PAYMENTS_MAX = OUTPUTS_MAX * PAYERS;
const ROUNDS_MAX = 10_000;
const LOADS_MAX = 100;
const VALID_CUTS = 100;
/** The page reads half a second after a cut; frames are counted until it has drawn what it read. */
const SETTLE_MILLIS = 1_000;
const COST_SECONDS = 15;

const TIMES = ['first content', 'head shown', 'live', 'processor of the page until both'] as const;

/** Times of one load in a browser without a cache. */
async function measureLoad(browser: Browser, url: string): Promise<readonly number[]> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  context.setDefaultTimeout(BROWSER_MILLIS_MAX);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.addInitScript(() => {
    const look = (): void => {
      const now = String(performance.now());
      const { dataset } = document.documentElement;
      if (/\d/.test(document.querySelector('h1')?.textContent ?? '')) dataset['head'] ??= now;
      if (document.querySelector('.fresh.live') !== null) dataset['live'] ??= now;
      if (dataset['head'] === undefined || dataset['live'] === undefined)
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(url);
  await page.waitForSelector('html[data-live][data-head]');
  const times = await page.evaluate(() => [
    performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    Number(document.documentElement.dataset['head']),
    Number(document.documentElement.dataset['live']),
  ]);
  const { metrics } = await session.send('Performance.getMetrics');
  const tasks = metrics.find(({ name }) => name === 'TaskDuration');
  await context.close();
  return [...times, (tasks?.value ?? Number.NaN) * 1_000];
}

/** Gives each payer as many coins as it pays with in a cut. */
async function splitCoins(caller: Caller, coinsEach: number): Promise<void> {
  const { chain } = caller.network.node.composed.core;
  for (let from = 0; from < PAYERS; from++) {
    const [coin] = await caller.coinsOf(from);
    assert.ok(coin !== undefined);
    const { address, amount } = coin[1];
    const part = (amount - FEE * BigInt(OUTPUTS_MAX)) / BigInt(coinsEach);
    const outputs = Array.from({ length: coinsEach }, () => ({ address, amount: part }));
    const validFrom = chain.head.height;
    const window = { validFrom, validUntil: validFrom + VALID_CUTS };
    const wire = signDraft({ from, coins: [coin], outputs, ...window }, chain.manifest);
    const { status, body } = await caller.submit(wire);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal((await caller.minedStatus(body.transaction_id)).lifecycle, 'finalized');
  }
}

/** Signs so many payments, each of one coin of a payer to itself. */
async function signPayments(caller: Caller, count: number): Promise<Uint8Array[]> {
  const wires: Uint8Array[] = [];
  const each = Math.ceil(count / PAYERS);
  for (let from = 0; from < PAYERS; from++) {
    for (const coin of (await caller.coinsOf(from)).slice(0, each)) {
      const amount = coin[1].amount - FEE;
      wires.push(await caller.sign({ from, to: from, amount, coins: [coin] }));
    }
  }
  return wires.slice(0, count);
}

async function startFrames(page: Page): Promise<void> {
  await page.evaluate(() => {
    const shared = globalThis as unknown as { frames: number[] | undefined };
    const frames: number[] = [];
    shared.frames = frames;
    let before = performance.now();
    const count = (now: number): void => {
      frames.push(now - before);
      before = now;
      if (shared.frames === frames) requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
  });
}

/** The times between frames since they were counted, in milliseconds. */
function endFrames(page: Page): Promise<number[]> {
  return page.evaluate(() => {
    const shared = globalThis as unknown as { frames: number[] | undefined };
    const { frames = [] } = shared;
    shared.frames = undefined;
    return frames;
  });
}

/** Memory of the page's scripts in MB, and its nodes, after garbage collection. */
async function memoryOf(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes } = await session.send('Memory.getDOMCounters');
  await session.detach();
  return `${rounded(usedSize / 1e6)} MB, ${nodes} nodes`;
}

async function measureCuts(browser: Browser, caller: Caller, sizes: Sizes): Promise<void> {
  const page = await browser.newPage({ viewport: VIEWPORT });
  page.setDefaultTimeout(BROWSER_MILLIS_MAX);
  await page.goto(`${caller.base}/ui`);
  await page.waitForSelector('.fresh.live');
  say(`memory before: ${await memoryOf(page)}`);
  const deltas: number[] = [];
  let payments = 0;
  const began = caller.height;
  for (let round = 0; round < sizes.rounds; round++) {
    const wires = await signPayments(caller, sizes.payments);
    for (const wire of wires) {
      const { status, body } = await caller.submit(wire);
      assert.equal(status, 200, JSON.stringify(body));
    }
    await startFrames(page);
    for (const wire of wires) await caller.minedStatus(caller.idOf(wire));
    await page.waitForFunction(
      (text) => document.querySelector('h1')?.textContent?.includes(text) === true,
      caller.height.toLocaleString('en'),
    );
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MILLIS));
    deltas.push(...(await endFrames(page)));
    payments += wires.length;
  }
  const seconds = deltas.reduce((sum, delta) => sum + delta, 0) / 1_000;
  say(`frames while ${payments} payments came in ${caller.height - began} cuts:`);
  say(`  ${rounded(deltas.length / seconds)} a second over ${rounded(seconds)} s`);
  const [half, most, worst] = [0.5, 0.99, 1].map((share) => rounded(quantile(deltas, share)));
  say(`  between frames: median ${half} ms, 99 % ${most} ms, longest ${worst} ms`);
  say(`memory after: ${await memoryOf(page)}`);
  await page.close();
}

/** Processor time of everything that the browser runs, in milliseconds by the kind of process. */
async function processorTimes(browser: Browser): Promise<ReadonlyMap<string, number>> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const times = new Map<string, number>();
  for (const { type, cpuTime } of processInfo)
    times.set(type, (times.get(type) ?? 0) + cpuTime * 1_000);
  return times;
}

/** What a page that is open costs while something runs for so many seconds, in milliseconds of processor a second. */
async function sayCost(
  browser: Browser,
  what: string,
  seconds: number,
  each: () => Promise<unknown>,
) {
  const before = await processorTimes(browser);
  const began = performance.now();
  for (let second = 1; second <= seconds; second++) {
    await each();
    const rest = began + second * 1_000 - performance.now();
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
  }
  const took = (performance.now() - began) / 1_000;
  const costs = [...(await processorTimes(browser))].map(
    ([type, time]) => [type, (time - (before.get(type) ?? 0)) / took] as const,
  );
  const parts = costs.map(([type, cost]) => `${type} ${rounded(cost)}`).join(', ');
  const all = costs.reduce((sum, [, cost]) => sum + cost, 0);
  say(`${what}: ${rounded(all)} ms of processor a second (${parts})`);
}

async function measureCost(browser: Browser, caller: Caller): Promise<void> {
  const page = await browser.newPage({ viewport: VIEWPORT });
  page.setDefaultTimeout(BROWSER_MILLIS_MAX);
  await page.goto(`${caller.base}/ui`);
  await page.waitForSelector('.fresh.live');
  await page.waitForSelector('[data-mark="checked"]');
  await sayCost(browser, 'nothing happens', COST_SECONDS, () => Promise.resolve());
  await sayCost(browser, 'a cut a second', COST_SECONDS, () => caller.network.mine(1));
  await page.close();
}

interface Sizes {
  readonly payments: number;
  readonly rounds: number;
}

const sizes = { payments: argumentAt(0, 64, PAYMENTS_MAX), rounds: argumentAt(1, 10, ROUNDS_MAX) };
const loads = argumentAt(2, 5, LOADS_MAX);
const caller = await Caller.start({ cutTime: 'manual', validators: 4, miner: true });
const browser = await launchChromium(findChromium() ?? assert.fail('no Chromium on this machine'));
try {
  await caller.network.mine(3);
  say(`load of the machine: ${loadavg().map(rounded).join(' ')}`);
  const times: (readonly number[])[] = [];
  for (let load = 0; load < loads; load++) {
    times.push(await measureLoad(browser, `${caller.base}/ui`));
  }
  for (const [place, name] of TIMES.entries()) {
    const values = times.map((each) => each[place] as number);
    const [least, half] = [Math.min(...values), quantile(values, 0.5)].map(rounded);
    say(`${name}: median ${half} ms, least ${least} ms of ${loads} loads`);
  }
  await measureCost(browser, caller);
  await splitCoins(caller, Math.ceil(sizes.payments / PAYERS));
  await measureCuts(browser, caller, sizes);
} finally {
  await browser.close();
  await caller.close();
}
