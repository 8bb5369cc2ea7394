/**
 * One full cut, applied by the ledger and committed durably with all indexes, beside writing the same
 * number of raw pairs to the same engine. What it executes was registered by the cut before it, so that a node reads what it needs
 * between the two; that time is reported alone, and as a sum with the cut. The blocks of all files were checked before, as those of a node
 * are some minutes after its start. Size 1 is a million outputs, size 10 ten million; beyond one
 * million the smaller store is measured too, for the growth of the cost.
 */
import { execFileSync, type StdioOptions } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { init } from 'svc-wasm';
import type { CutTask, CutTimes } from './cut-process.ts';
import type { BenchOptions, Row } from './harness.ts';
import type { OpenTimes } from './open-process.ts';
import { PAYMENTS_PER_CUT, StoreFixture } from './store-fixture.ts';

const OUTPUTS = 1_000_000;
const SMOKE_OUTPUTS = 20_000;
const CUTS = 16;
/** The first full cuts meet cold code and caches. */
const WARM_CUTS = 3;
/** Cuts come at the pace of the network: the engine merges its files between them. */
const PACE_MILLIS = 2_500;

const WALL_MILLIS_MAX = 1_000;
const PEER_TIMES_MAX = 4;
const PEER_TIMES_WITH_READING_MAX = 5;
const GROWTH_MAX = 1.4;
const TABLE_BYTES_PER_OUTPUT_MAX = 44;
/** Relative to the time of the engine for reading the buckets of the tree one by one, without decoding. */
const OPEN_TIMES_MAX = 4;
/** What is promised of ten million outputs. */
const OPEN_SAVED_MILLIS_MAX = 2_000;
/** The engine reads its own log first. */
const OPEN_KILLED_MILLIS_MAX = 3_000;
const RESIDENT_BYTES_MAX = 1.5e9;

interface Measured extends CutTimes {
  readonly outputs: number;
  /** Opened again after a proper end, with the trees that were saved then. */
  readonly reopenMillis: number;
  /** Opened in the state that a kill after the last cut leaves. */
  readonly killedMillis: number;
}

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  const cuts = options.smoke ? WARM_CUTS + 2 : CUTS;
  const sizes = options.smoke
    ? [SMOKE_OUTPUTS]
    : [...new Set([Math.min(1, options.size), options.size])].map((size) => size * OUTPUTS);
  const rows: Row[] = [];
  const measured: Measured[] = [];
  for (const outputs of sizes) {
    const result = await measureIn(Math.round(outputs), cuts);
    measured.push(result);
    rows.push(...rowsOf(result));
  }
  const [small, large] = measured;
  if (small !== undefined && large !== undefined) rows.push(growthRow(small, large));
  return rows;
}

async function measureIn(outputs: number, cuts: number): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-cut-bench-'));
  try {
    return await measure(directory, outputs, cuts);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(directory: string, outputs: number, cuts: number): Promise<Measured> {
  const store = join(directory, 'store');
  await new StoreFixture(store, outputs).build();
  const paceMillis = cuts < CUTS ? 0 : PACE_MILLIS;
  const task: CutTask = { directory, outputs, cuts, paceMillis };
  const times = printedBy<CutTimes>('cut-process.ts', [JSON.stringify(task)]);
  const killed = opened(join(directory, 'killed'), outputs);
  if (!killed.areTreesRestored && outputs >= OUTPUTS) throw new Error('the trees were built');
  // The first start also reads the engine's own log of the cuts before.
  const reopened = [opened(store, outputs), opened(store, outputs)];
  return {
    ...times,
    outputs,
    cutMillis: times.cutMillis.slice(WARM_CUTS),
    readMillis: times.readMillis.slice(WARM_CUTS),
    peerMillis: times.peerMillis.slice(WARM_CUTS),
    killedMillis: killed.millis,
    reopenMillis: least(reopened.map(({ millis }) => millis)),
  };
}

function opened(directory: string, outputs: number): OpenTimes {
  return printedBy('open-process.ts', [directory, String(outputs)]);
}

/** Runs a script of this folder in a fresh process and parses its output. */
function printedBy<T>(script: string, args: readonly string[]): T {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const stdio: StdioOptions = ['ignore', 'pipe', 'inherit'];
  return JSON.parse(
    execFileSync(process.execPath, [path, ...args], { encoding: 'utf8', stdio }),
  ) as T;
}

function least(values: readonly number[]): number {
  return Math.min(...values);
}

function describe(values: readonly number[]): string {
  const median = values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  return `${least(values).toFixed(0)} ms least, ${median.toFixed(0)} ms median`;
}

function rowsOf(measured: Measured): Row[] {
  return [...cutRows(measured), ...openRows(measured), ...memoryRows(measured)];
}

function cutRows({ outputs, cutMillis, readMillis, peerMillis, pairs }: Measured): Row[] {
  const cut = least(cutMillis);
  const together = sums(cutMillis, readMillis);
  return [
    {
      name: `storage::cut/outputs=${outputs}`,
      ours: `${describe(cutMillis)} (${PAYMENTS_PER_CUT} payments, ${pairs} pairs); reading ahead ${describe(readMillis)}`,
      peer: `${describe(peerMillis)} (as many raw pairs to classic-level)`,
      ratio: least(peerMillis) / cut,
      limit: 1 / PEER_TIMES_MAX,
    },
    {
      name: `storage::cut-with-reading/outputs=${outputs}`,
      ours: `${describe(together)} with reading ahead; the cut alone ${describe(cutMillis)}`,
      peer: `${describe(peerMillis)} (as many raw pairs to classic-level)`,
      ratio: least(peerMillis) / least(together),
      limit: 1 / PEER_TIMES_WITH_READING_MAX,
    },
    {
      name: `storage::cut-wall/outputs=${outputs}`,
      ours: describe(cutMillis),
      peer: `${WALL_MILLIS_MAX} ms allowed`,
      ratio: WALL_MILLIS_MAX / cut,
      limit: 1,
    },
  ];
}

function openRows(measured: Measured): Row[] {
  const { outputs, openMillis, scanMillis, reopenMillis, killedMillis } = measured;
  const saved = `${reopenMillis.toFixed(0)} ms, trees as they were saved`;
  const scan = `${scanMillis.toFixed(0)} ms (a bare scan of the buckets)`;
  return [
    {
      name: `storage::open/outputs=${outputs}`,
      ours: `${openMillis.toFixed(0)} ms, every tree rebuilt and checked`,
      peer: scan,
      ratio: scanMillis / openMillis,
      limit: 1 / OPEN_TIMES_MAX,
    },
    {
      name: `storage::open-saved/outputs=${outputs}`,
      ours: saved,
      peer: scan,
      ratio: scanMillis / reopenMillis,
      limit: 1,
    },
    {
      name: `storage::open-saved-wall/outputs=${outputs}`,
      ours: saved,
      peer: `${OPEN_SAVED_MILLIS_MAX} ms allowed, at ten million outputs too`,
      ratio: OPEN_SAVED_MILLIS_MAX / reopenMillis,
      limit: 1,
    },
    {
      name: `storage::open-killed-wall/outputs=${outputs}`,
      ours: `${killedMillis.toFixed(0)} ms, as a kill after the last cut leaves it`,
      peer: `${OPEN_KILLED_MILLIS_MAX} ms allowed, at ten million outputs too`,
      ratio: OPEN_KILLED_MILLIS_MAX / killedMillis,
      limit: 1,
    },
  ];
}

function memoryRows({ outputs, outputsAfter, tableBytes, residentBytes }: Measured): Row[] {
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
  const allowed = TABLE_BYTES_PER_OUTPUT_MAX * outputsAfter;
  return [
    {
      name: `storage::memory/outputs=${outputs}`,
      ours: `${megabytes(tableBytes)} of tables`,
      peer: `${megabytes(allowed)} allowed`,
      ratio: allowed / tableBytes,
      limit: 1,
    },
    {
      name: `storage::resident/outputs=${outputs}`,
      ours: `${megabytes(residentBytes)} in all, with the peer`,
      peer: `${megabytes(RESIDENT_BYTES_MAX)} allowed, at ten million outputs too`,
      ratio: RESIDENT_BYTES_MAX / residentBytes,
      limit: 1,
    },
  ];
}

function sums(values: readonly number[], others: readonly number[]): number[] {
  return values.map((value, at) => value + (others[at] ?? 0));
}

function growthRow(small: Measured, large: Measured): Row {
  const [smallTogether, largeTogether] = [small, large].map(({ cutMillis, readMillis }) =>
    least(sums(cutMillis, readMillis)),
  ) as [number, number];
  return {
    name: `storage::cut-growth/outputs=${small.outputs}..${large.outputs}`,
    ours: `${describe(large.cutMillis)}; with reading ahead ${(largeTogether / smallTogether).toFixed(2)} times as long`,
    peer: `${describe(small.cutMillis)}; at most ${GROWTH_MAX} times that`,
    ratio: (GROWTH_MAX * least(small.cutMillis)) / least(large.cutMillis),
    limit: 1,
  };
}
