/**
 * What the page keeps in memory while it stays open on a network that makes cuts full of payments: three tabs that stay
 * on overview, mempool and an address that pays and is paid in every cut, one that goes through the screens every minute, and
 * one on the address without a debugger attached, for what a whole process takes. A line a minute, after a collection, and at
 * the end the first quarter beside the last. Heaps, nodes and listeners do not depend on what else the machine does. A script,
 * because its duration is an argument.
 *
 * Usage: node tools/bootstrap.mjs packages/page/test/measure-hour.ts [minutes, 60] [blocks a cut, 256] [interval in ms, 30000]
 * A block carries 17 payments, which are signed while the hour goes: about a second of a core for 1,500. The longer the
 * interval, the busier a machine can be without the cuts becoming late; payments that come late are not lost.
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
import { type Chain, quantile } from '../../bench/src/full-cuts-meter.ts';
import { prepare, startNetwork } from '../../bench/src/full-cuts-network.ts';
import { FULL_BLOCKS, type Plan } from '../../bench/src/full-cuts-plan.ts';
import { argumentAt, goTo, rounded, say } from './testing/measuring.ts';
import { MemoryMeter, openUnwatched, residentBytes, type TabMemory } from './testing/tab-memory.ts';

const VIEWPORT = { width: 1_600, height: 1_000 };
const MINUTES_MAX = 24 * 60;
const PACE_MILLIS_MAX = 60_000;
const MINUTE_MILLIS = 60_000;
const QUARTERS = 4;
/** Cuts whose payments are signed before the hour begins. */
const SIGNED_AHEAD = 3;
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

interface Mark {
  readonly cuts: number;
  readonly payments: number;
}

/**
 * Brings the payments of one cut after those of another and counts what becomes final. A cut that comes while payments are
 * still being submitted is skipped: a machine that is too busy for a while delays them, and the network never runs dry.
 */
class Carried {
  /** What was final at the end of each minute. */
  readonly marks: Mark[] = [];
  readonly #end: () => void;
  #final: Mark = { cuts: 0, payments: 0 };
  #next = 0;
  #brought: Promise<void> | undefined;

  constructor(chain: Chain, load: FullLoad, cutsMax: number) {
    this.#end = chain.finalized.on(({ result }) => {
      const paid = result.events.outcomes.filter(({ kind }) => kind === 'finalized').length;
      this.#final = { cuts: this.#final.cuts + 1, payments: this.#final.payments + paid };
      if (this.#brought !== undefined || this.#next >= cutsMax) return;
      this.#brought = load.bring(this.#next++).finally(() => {
        this.#brought = undefined;
      });
    });
  }

  mark(): Mark {
    this.marks.push(this.#final);
    return this.#final;
  }

  async end(): Promise<void> {
    this.#end();
    await this.#brought;
  }
}

/** How many cuts and payments each quarter of the time had. */
function sayCarried(marks: readonly Mark[]): void {
  let before: Mark = { cuts: 0, payments: 0 };
  for (let quarter = 1; quarter <= QUARTERS; quarter++) {
    const mark = marks[Math.ceil((marks.length * quarter) / QUARTERS) - 1] ?? before;
    const [cuts, payments] = [mark.cuts - before.cuts, mark.payments - before.payments];
    say(
      `quarter ${quarter}: ${cuts} cuts, ${payments} payments, ${rounded(payments / cuts)} a cut`,
    );
    before = mark;
  }
}

const minutes = argumentAt(0, 60, MINUTES_MAX);
const paceMillis = argumentAt(2, 30_000, PACE_MILLIS_MAX);
const plan: Plan = {
  cuts: Math.ceil((minutes * MINUTE_MILLIS) / paceMillis),
  blocksPerCut: argumentAt(1, FULL_BLOCKS, FULL_BLOCKS),
  paceMillis,
};

await init();
const directory = mkdtempSync(join(tmpdir(), 'svc-hour-page-'));
const browser = await launchChromium(findChromium() ?? assert.fail('no Chromium on this machine'));
try {
  const prepared = await prepare(directory, plan, SIGNED_AHEAD);
  const network = await startNetwork(plan, prepared.stateDir);
  const { core } = network.node.composed;
  await openPayers(network, prepared);
  const base = `http://127.0.0.1:${network.facts.http.port}/ui`;
  const address = prepared.payers[0]?.text ?? assert.fail('there is no payer');
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
  const carried = new Carried(core.chain, load, plan.cuts);
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
    const { cuts, payments } = carried.mark();
    const all = `${cuts} cuts, ${payments} payments, unwatched process ${megabytes(processes.at(-1) ?? 0)} MB`;
    say(`minute ${minute}, ${all}; ${shown}`);
  }
  await carried.end();
  sayCarried(carried.marks);
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
  sayCourse('process of the tab without a debugger', processes, megabytes);
  say(`load of the machine: ${loadavg().map(rounded).join(' ')}`);
  await load.close();
  await network.close();
  await prepared.close();
} finally {
  await browser.close();
  rmSync(directory, { recursive: true, force: true });
}
