/**
 * What the page keeps in memory while it stays open on a network that makes cuts full of payments: three tabs that stay
 * on overview, mempool and an address that pays and is paid in every cut, one that goes through the screens every minute, and
 * one on the address that nobody is attached to, for what a whole process takes. A line a minute, after a collection, and at
 * the end the first quarter beside the last. Heaps, nodes and listeners do not depend on what else the machine does. A script,
 * because it takes as long as it is told.
 *
 * Usage: node tools/bootstrap.mjs packages/page/test/measure-hour.ts [minutes, 60] [blocks a cut, 4] [interval in ms, 2500]
 * A block carries 17 payments, which are signed before the hour begins: about a second of each core for 1,500.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { init } from 'svc-wasm';
import {
  BROWSER_MILLIS_MAX,
  findChromium,
  launchChromium,
} from '../../../tools/testing/chromium.ts';
import { FullLoad, openPayers } from '../../bench/src/full-cuts-load.ts';
import { quantile } from '../../bench/src/full-cuts-meter.ts';
import { prepare, startNetwork } from '../../bench/src/full-cuts-network.ts';
import { FULL_BLOCKS, PAYMENTS_PER_BLOCK, type Plan } from '../../bench/src/full-cuts-plan.ts';
import { argumentAt, goTo, rounded, say } from './testing/measuring.ts';
import { MemoryMeter, openUnwatched, residentBytes, type TabMemory } from './testing/tab-memory.ts';

const VIEWPORT = { width: 1_600, height: 1_000 };
const MINUTES_MAX = 24 * 60;
const PACE_MILLIS_MAX = 60_000;
const MINUTE_MILLIS = 60_000;
const QUARTERS = 4;
/** Where the last tab goes every minute; it is measured on the overview. */
const WALK = ['cuts', 'mempool', 'node', 'validators', 'economics', 'tools', 'api', ''] as const;

interface Tab {
  readonly name: string;
  readonly page: Page;
  readonly meter: MemoryMeter;
  readonly taken: TabMemory[];
}

async function openTab(browser: Browser, name: string, address: string): Promise<Tab> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  context.setDefaultTimeout(BROWSER_MILLIS_MAX);
  const page = await context.newPage();
  const meter = await MemoryMeter.start(page);
  await page.goto(address);
  await page.waitForSelector('.fresh.live');
  return { name, page, meter, taken: [] };
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(2);

function lineOf({ name, taken }: Tab): string {
  const { heapBytes, nodes, listeners, workerHeapBytes } =
    taken.at(-1) ?? assert.fail('nothing was measured yet');
  const heaps = `heap ${megabytes(heapBytes)} MB, worker ${megabytes(workerHeapBytes)} MB`;
  return `${name}: ${heaps}, ${nodes} nodes, ${listeners} listeners`;
}

/** By least squares, for each step of one place. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [above, below] = [0, 0];
  for (const [place, value] of values.entries()) {
    above += (place - middle) * (value - mean);
    below += (place - middle) ** 2;
  }
  return below === 0 ? 0 : above / below;
}

/** Median of the first and of the last quarter, and how much an hour adds. */
function sayCourse(name: string, values: readonly number[], shown: (value: number) => string) {
  const quarter = Math.max(1, Math.floor(values.length / QUARTERS));
  const [first, last] = [values.slice(0, quarter), values.slice(-quarter)].map((part) =>
    shown(quantile(part, 0.5)),
  );
  const settled = values.slice(quarter);
  say(
    `${name}: first quarter ${first}, last ${last}; after it ${shown(slopeOf(settled) * 60)} an hour`,
  );
}

const minutes = argumentAt(0, 60, MINUTES_MAX);
const paceMillis = argumentAt(2, 2_500, PACE_MILLIS_MAX);
const plan: Plan = {
  cuts: Math.ceil((minutes * MINUTE_MILLIS) / paceMillis),
  blocksPerCut: argumentAt(1, 4, FULL_BLOCKS),
  paceMillis,
};

await init();
const directory = mkdtempSync(join(tmpdir(), 'svc-hour-page-'));
const browser = await launchChromium(findChromium() ?? assert.fail('no Chromium on this machine'));
try {
  const prepared = await prepare(directory, plan);
  const network = await startNetwork(plan, prepared.stateDir);
  const { core } = network.node.composed;
  await openPayers(network, prepared);
  const base = `http://127.0.0.1:${network.facts.http.port}/ui`;
  const address = prepared.payers[0]?.text ?? assert.fail('nobody pays');
  const tabs = [
    await openTab(browser, 'overview', base),
    await openTab(browser, 'mempool', `${base}/mempool`),
    await openTab(browser, 'address', `${base}/address/${address}`),
  ];
  const walking = await openTab(browser, 'all screens', base);
  const watched = await residentBytes(browser);
  await openUnwatched(browser, `${base}/address/${address}`);
  const load = await FullLoad.start(core, plan, prepared);
  await load.prepare(0);
  let [cuts, payments] = [0, 0];
  let brought = Promise.resolve();
  let isOver = false;
  const end = core.chain.finalized.on(({ result }) => {
    payments += result.events.outcomes.filter(({ kind }) => kind === 'finalized').length;
    const cut = cuts++;
    if (cut < plan.cuts) brought = brought.then(() => (isOver ? undefined : load.bring(cut)));
  });
  const processes: number[] = [];
  const began = performance.now();
  for (let minute = 1; minute <= minutes; minute++) {
    for (const screen of WALK) await goTo(walking.page, screen);
    const rest = began + minute * MINUTE_MILLIS - performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, rest)));
    for (const tab of [...tabs, walking]) tab.taken.push(await tab.meter.take());
    const others = [...(await residentBytes(browser))].filter(([process]) => !watched.has(process));
    processes.push(Math.max(...others.map(([, size]) => size)));
    const shown = [...tabs, walking].map(lineOf).join('; ');
    const all = `${cuts} cuts, ${payments} payments, unwatched process ${megabytes(processes.at(-1) ?? 0)} MB`;
    say(`minute ${minute}, ${all}; ${shown}`);
  }
  end();
  isOver = true;
  await brought;
  say(`${payments} payments in ${cuts} cuts of at most ${plan.blocksPerCut * PAYMENTS_PER_BLOCK}`);
  for (const { name, taken } of [...tabs, walking]) {
    const course = (of: keyof TabMemory, shown: (value: number) => string): void =>
      sayCourse(
        `${name}, ${of}`,
        taken.map((each) => each[of]),
        shown,
      );
    course('heapBytes', megabytes);
    course('workerHeapBytes', megabytes);
    course('nodes', rounded);
    course('listeners', rounded);
  }
  sayCourse('process of the tab that nobody is attached to', processes, megabytes);
  say(`load of the machine: ${loadavg().map(rounded).join(' ')}`);
  await load.close();
  await network.close();
  await prepared.miner.terminate();
} finally {
  await browser.close();
  rmSync(directory, { recursive: true, force: true });
}
