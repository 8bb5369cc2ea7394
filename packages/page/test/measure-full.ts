/**
 * The page in a real browser while a network makes cuts full of payments: frames a second, long tasks and processor time of
 * the page's main thread on each screen, and what stays in memory as time goes. The network is that of the benchmark of full
 * cuts: payments are signed before the run, and its threads wait for the browser while frames are counted. A script, because it
 * takes as long as its arguments say.
 *
 * Usage: node tools/bootstrap.mjs packages/page/test/measure-full.ts [cuts, 40] [blocks a cut, 256] [interval in ms, 2500] [screens]
 * Screens are named with commas between them, as in `overview,mempool`; without names there are five. A block carries 17 payments, so that 256 blocks are the 4,352 payments of the fullest cut. The cuts are divided into turns
 * of a minute, or four shorter ones; in each the tab goes through the screens, and at its end memory is taken on the first.
 * Signing takes about a second of each core for 1,500 payments.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { loadavg, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { init } from 'svc-wasm';
import {
  BROWSER_MILLIS_MAX,
  findChromium,
  launchChromium,
} from '../../../tools/testing/chromium.ts';
import {
  carryLoad,
  FullLoad,
  openPayers,
  waitUntilOnTime,
} from '../../bench/src/full-cuts-load.ts';
import { quantile } from '../../bench/src/full-cuts-meter.ts';
import { prepare, startNetwork } from '../../bench/src/full-cuts-network.ts';
import { FULL_BLOCKS, PAYMENTS_PER_BLOCK, type Plan } from '../../bench/src/full-cuts-plan.ts';
import { FRAME_MARK, MainThreadTasks, type MainThreadTimes } from './testing/main-thread-tasks.ts';
import { argumentAt, goTo, rounded, say } from './testing/measuring.ts';
import { MemoryMeter, residentBytes } from './testing/tab-memory.ts';

const VIEWPORT = { width: 1_600, height: 1_000 };
const CUTS_MAX = 10_000;
const PACE_MILLIS_MAX = 60_000;
const TURN_MILLIS = 60_000;
const TURNS_MIN = 4;
/** As far behind as a process can be without being the last. */
const NETWORK_PRIORITY = 15;
/** The frame time at 60 frames a second. */
const FRAME_MILLIS = 1_000 / 60;
/** Where the tab goes in each turn; memory is taken on the first. */
const SCREENS = (process.argv[5] ?? 'overview,cuts,mempool,node,validators')
  .split(',')
  .map((name) => (name === 'overview' ? '' : name));
/** Processor time of tasks, and of all tasks of a frame, above which they are counted. */
const COUNTED_MILLIS = [8, 16] as const;

/** What the page's main thread did while a screen was shown. */
interface Shown {
  readonly frames: readonly number[];
  readonly longTasks: readonly number[];
  readonly times: MainThreadTimes;
  readonly processorMillis: number;
  /** Processor time of all processes of the browser: other threads than the main one draw. */
  readonly browserMillis: number;
  readonly cuts: number;
}

/**
 * Has every thread of this process, which is the network, wait for the browser: what is measured is the page, and not how much
 * of the processor four validators leave to it. Linux only; elsewhere the figures show both.
 */
function stepBehindBrowser(): void {
  const threads = '/proc/self/task';
  if (!existsSync(threads)) return;
  for (const thread of readdirSync(threads)) setPriority(Number(thread), NETWORK_PRIORITY);
}

/** Counts in the tab: the times between frames, and tasks of more than 50 ms. */
function countInTab(mark: string): void {
  const counted = { frames: [] as number[], longTasks: [] as number[] };
  Object.assign(globalThis, { counted });
  let before = performance.now();
  const count = (now: number): void => {
    counted.frames.push(now - before);
    before = now;
    performance.mark(mark);
    performance.clearMarks(mark);
    requestAnimationFrame(count);
  };
  requestAnimationFrame(count);
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) counted.longTasks.push(duration);
  }).observe({ type: 'longtask' });
}

function takeCounts(page: Page): Promise<Pick<Shown, 'frames' | 'longTasks'>> {
  return page.evaluate(() => {
    const { counted } = globalThis as unknown as {
      counted: { frames: number[]; longTasks: number[] };
    };
    const taken = { frames: counted.frames, longTasks: counted.longTasks };
    counted.frames = [];
    counted.longTasks = [];
    return taken;
  });
}

async function processorMillis(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
}

async function browserMillis(): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0) * 1_000;
}

async function memoryOf(meter: MemoryMeter): Promise<string> {
  const { heapBytes, nodes, listeners, workerHeapBytes } = await meter.take();
  const heaps = `heap ${(heapBytes / 1e6).toFixed(2)} MB, worker ${(workerHeapBytes / 1e6).toFixed(2)} MB`;
  const largest = Math.max(...(await residentBytes(browser)).values()) / 1e6;
  return `${heaps}, ${nodes} nodes, ${listeners} listeners, ${rounded(largest)} MB of the process`;
}

/** How many of these times are long, and how long the longest are. */
function overOf(times: readonly number[]): string {
  const over = COUNTED_MILLIS.map(
    (limit) => `${times.filter((millis) => millis > limit).length} over ${limit} ms`,
  );
  const [most, longest] = [0.99, 1].map((share) => rounded(quantile(times, share)));
  return `${times.length}, ${over.join(', ')}, 99 % within ${most} ms, longest ${longest} ms`;
}

function sayShown(screen: string, parts: readonly Shown[]): void {
  const frames = parts.flatMap((part) => part.frames);
  const long = parts.flatMap((part) => part.longTasks);
  const tasks = parts.flatMap((part) => part.times.tasks);
  const perFrame = parts.flatMap((part) => part.times.frames);
  const seconds = frames.reduce((sum, each) => sum + each, 0) / 1_000;
  const cuts = parts.reduce((sum, part) => sum + part.cuts, 0);
  const processor = parts.reduce((sum, part) => sum + part.processorMillis, 0);
  const all = parts.reduce((sum, part) => sum + part.browserMillis, 0);
  const [half, most, worst] = [0.5, 0.99, 1].map((share) => rounded(quantile(frames, share)));
  const gaps = frames.filter((millis) => millis > 1.5 * FRAME_MILLIS);
  const lost = gaps.reduce((sum, millis) => sum + Math.round(millis / FRAME_MILLIS) - 1, 0);
  say(
    `${screen === '' ? 'overview' : screen}: ${rounded(frames.length / seconds)} frames a second over ${rounded(seconds)} s and ${cuts} cuts; ` +
      `${lost} lost in ${gaps.length} gaps; between frames median ${half} ms, 99 % ${most} ms, longest ${worst} ms; ` +
      `${long.length} tasks over 50 ms on the wall; by processor: tasks ${overOf(tasks)}; frames ${overOf(perFrame)}; ` +
      `processor of the main thread ${rounded(processor / cuts)} ms a cut, ${rounded(processor / seconds)} ms a second, ` +
      `of the whole browser ${rounded(all / seconds)} ms a second`,
  );
}

const plan: Plan = {
  cuts: argumentAt(0, 40, CUTS_MAX),
  blocksPerCut: argumentAt(1, FULL_BLOCKS, FULL_BLOCKS),
  paceMillis: argumentAt(2, 2_500, PACE_MILLIS_MAX),
};
const cutsPerTurn = Math.max(
  SCREENS.length,
  Math.min(Math.floor(TURN_MILLIS / plan.paceMillis), Math.floor(plan.cuts / TURNS_MIN)),
);
const cutsPerScreen = Math.max(1, Math.floor(cutsPerTurn / SCREENS.length));

await init();
const directory = mkdtempSync(join(tmpdir(), 'svc-full-page-'));
const browser = await launchChromium(findChromium() ?? assert.fail('no Chromium on this machine'));
try {
  const prepared = await prepare(directory, plan);
  const network = await startNetwork(plan, prepared.stateDir);
  const { core } = network.node.composed;
  await openPayers(network, prepared);
  await waitUntilOnTime(plan, core.chain);
  const page = await browser.newPage({ viewport: VIEWPORT });
  page.setDefaultTimeout(BROWSER_MILLIS_MAX);
  await page.addInitScript(countInTab, FRAME_MARK);
  const meter = await MemoryMeter.start(page);
  await page.goto(`http://127.0.0.1:${network.facts.http.port}/ui`);
  await page.waitForSelector('[data-mark="checked"]');
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  say(`load of the machine: ${loadavg().map(rounded).join(' ')}`);
  say(`memory before: ${await memoryOf(meter)}`);
  const load = await FullLoad.start(core, plan, prepared);
  await load.prepare(0);
  stepBehindBrowser();

  let seen = 0;
  let payments = 0;
  const waiting: { readonly cut: number; readonly resolve: () => void }[] = [];
  const atCut = (cut: number): Promise<void> =>
    new Promise((resolve) => {
      if (seen >= cut) resolve();
      else waiting.push({ cut, resolve });
    });
  const carried = carryLoad(plan, load, core.chain, ({ result }) => {
    seen++;
    payments += result.events.outcomes.filter(({ kind }) => kind === 'finalized').length;
    while (waiting[0] !== undefined && waiting[0].cut <= seen) waiting.shift()?.resolve();
  });
  const shown = new Map<string, Shown[]>(SCREENS.map((screen) => [screen, []]));
  const began = performance.now();
  while (seen + cutsPerScreen * SCREENS.length <= plan.cuts) {
    for (const screen of SCREENS) {
      await goTo(page, screen);
      await takeCounts(page);
      const [cuts, before] = [seen, await processorMillis(session)];
      const allBefore = await browserMillis();
      const traced = await MainThreadTasks.start(browser);
      await Promise.race([atCut(cuts + cutsPerScreen), carried]);
      const counts = await takeCounts(page);
      const processor = (await processorMillis(session)) - before;
      const all = (await browserMillis()) - allBefore;
      const times = await traced.end();
      shown.get(screen)?.push({
        ...{ ...counts, times, cuts: seen - cuts },
        ...{ processorMillis: processor, browserMillis: all },
      });
    }
    await goTo(page, '');
    const minutes = rounded((performance.now() - began) / 60_000);
    say(`after ${minutes} min, ${seen} cuts, ${payments} payments: ${await memoryOf(meter)}`);
  }
  await carried;
  say(`${payments} payments in ${seen} cuts of at most ${plan.blocksPerCut * PAYMENTS_PER_BLOCK}`);
  for (const [screen, parts] of shown) sayShown(screen, parts);
  say(`load of the machine: ${loadavg().map(rounded).join(' ')}`);
  await load.close();
  await network.close();
  await prepared.close();
} finally {
  await browser.close();
  rmSync(directory, { recursive: true, force: true });
}
