/**
 * Full cuts at the protocol's maximum, one after another, on a development network at the pace of the main
 * one: every cut registers 256 blocks of 17 payments and executes those of the cut before. Size 1 is five
 * minutes, the longest; less is shorter.
 *
 * What is real: the whole node with four validators in one process, its disk, its HTTP API under reads, the
 * signature of every payment, checked once. Payments are signed before the run, with referenced keys, so that
 * 17 of them fill a body. Half of a block's payments are offered to the mempool a cut earlier, by a peer as it
 * were, which takes those whose coins are final by then; the others are first seen in their block and checked when
 * it is registered. Blocks arrive over the first
 * three fifths of an interval and are anchored on the cut before the head, since they are made one cut ahead.
 *
 * What is not: blocks come by a call, not by the network, and a thread of this process makes them, with the
 * easiest proof of work; its processor time is taken off. The difficulty aims at as many blocks as come, since
 * a development network aims at two and would have raised it beyond reach within a minute. Validators share one
 * chain, so a cut is executed once for all four, but signed, logged and voted for four times.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { init } from 'svc-wasm';
import { carryLoad, FullLoad, openPayers, waitUntilOnTime } from './full-cuts-load.ts';
import { Meter } from './full-cuts-meter.ts';
import { askOnce, type Prepared, prepare, startNetwork, startThread } from './full-cuts-network.ts';
import { FULL_BLOCKS, type Plan } from './full-cuts-plan.ts';
import type { ReaderTask, ReadTimes } from './full-cuts-reader.ts';
import { rowsOf } from './full-cuts-rows.ts';
import type { BenchOptions, Row } from './harness.ts';

type Network = Awaited<ReturnType<typeof startNetwork>>;

const CUTS = 120;
const PACE_MILLIS = 2_500;
const SMOKE: Plan = { cuts: 4, blocksPerCut: 4, paceMillis: 500 };
/** Far below the rate limit of one address. */
const READ_EVERY_MILLIS = 20;

export async function bench({ smoke, size }: BenchOptions): Promise<readonly Row[]> {
  await init();
  const cuts = Math.max(SMOKE.cuts, Math.round(CUTS * Math.min(1, size)));
  const plan: Plan = smoke ? SMOKE : { cuts, blocksPerCut: FULL_BLOCKS, paceMillis: PACE_MILLIS };
  const directory = mkdtempSync(join(tmpdir(), 'svc-full-cuts-'));
  try {
    const prepared = await prepare(directory, plan);
    const network = await startNetwork(plan, prepared.stateDir);
    const rows = await measure(plan, prepared, network);
    await network.close();
    await prepared.close();
    return rows;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(plan: Plan, prepared: Prepared, network: Network): Promise<Row[]> {
  const { core } = network.node.composed;
  await openPayers(network, prepared);
  await waitUntilOnTime(plan, core.chain);
  const load = await FullLoad.start(core, plan, prepared);
  const meter = new Meter(core.chain);
  const reader = startThread('full-cuts-reader.ts', {
    port: network.facts.http.port,
    addresses: prepared.payers.map(({ text }) => text),
    everyMillis: READ_EVERY_MILLIS,
  } satisfies ReaderTask);
  await load.prepare(0);
  const minerMillis = load.minerMicros / 1e3;
  await carryLoad(plan, load, core.chain, (cut, index) => {
    if (index === 0) meter.begin();
    meter.note(cut);
  });
  const usage = meter.end();
  reader.postMessage('end');
  const reads = await askOnce<ReadTimes>(reader);
  await reader.terminate();
  await load.close();
  const { cuts, steps, loop } = meter;
  const ownMillis = load.minerMicros / 1e3 - minerMillis + reads.processorMicros / 1e3;
  const answers = [load.blockAnswers, load.paymentAnswers];
  return rowsOf({ plan, cuts, usage, steps, loop, reads, ownMillis, answers });
}
