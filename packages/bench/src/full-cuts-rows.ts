/**
 * The rows that judge a run of full cuts. Rows of wall time count only on an idle machine; those of processor
 * time hold anywhere, and give the share of two cores is needed.
 */
import { type CutSample, type Meter, quantile, type Step, type Usage } from './full-cuts-meter.ts';
import { PAYMENTS_PER_BLOCK, type Plan } from './full-cuts-plan.ts';
import type { ReadTimes } from './full-cuts-reader.ts';
import type { Row } from './harness.ts';

export interface Measured {
  readonly plan: Plan;
  readonly cuts: readonly CutSample[];
  readonly usage: Usage;
  readonly steps: ReadonlyMap<Step, readonly number[]>;
  readonly loop: Meter['loop'];
  readonly reads: ReadTimes;
  /** Processor time of the threads that make blocks and read balances. */
  readonly ownMillis: number;
  readonly answers: readonly ReadonlyMap<string, number>[];
}

const CORES = 2;
const PACE_PART = 0.99;
/** A late block waits for the next cut, and full cuts have no room to make up for it. */
const FULL_PART = 0.98;
const LOOP_MILLIS_MAX = 500;
const READ_MILLIS_MAX = 1_000;
const RESIDENT_BYTES_MAX = 2_000_000_000;

const millis = (value: number): string => `${value.toFixed(0)} ms`;

export function rowsOf(measured: Measured): Row[] {
  return [
    paceRow,
    lagRow,
    registeredRow,
    paidRow,
    mainRow,
    coresRow,
    loopRow,
    readsRow,
    memoryRow,
  ].map((row) => row(measured));
}

function named(what: string, { blocksPerCut }: Plan): string {
  return `full-cuts::${what}/blocks=${blocksPerCut},payments=${blocksPerCut * PAYMENTS_PER_BLOCK}`;
}

/** The cuts of the load: those between the first that registers and the last that executes. */
function paceRow({ plan, cuts, usage, steps }: Measured): Row {
  const [first, last] = [cuts[0], cuts.at(-1)] as [CutSample, CutSample];
  const made = cuts.length - 1;
  const elapsed = last.atMillis - first.atMillis;
  const others = (usage.machineMillis - usage.allMillis) / usage.elapsedMillis;
  const times = [...steps].map(
    ([step, values]) => `${step} ${values.length} times ${millis(quantile(values, 0.5))}`,
  );
  return {
    name: named('pace', plan),
    ours: `${made} cuts made, one in ${millis(elapsed / made)} (median: ${times.join(', ')}; others kept ${others.toFixed(1)} cores busy)`,
    peer: `${(elapsed / plan.paceMillis).toFixed(1)} cuts due, one in ${millis(plan.paceMillis)}`,
    ratio: (plan.paceMillis * made) / elapsed,
    limit: PACE_PART,
  };
}

function lagRow({ plan, cuts }: Measured): Row {
  const late = cuts.map(({ lateMillis }) => lateMillis);
  const last = late.at(-1) ?? 0;
  return {
    name: named('lag', plan),
    ours: `${millis(last)} late at the end, ${millis(Math.max(...late))} at most`,
    peer: `${millis(plan.paceMillis)} allowed`,
    ratio: plan.paceMillis / Math.max(1, last),
    limit: 1,
  };
}

function registeredRow({ plan, cuts, answers }: Measured): Row {
  const inTime = cuts.slice(1, plan.cuts + 1);
  const registered = inTime.reduce((sum, cut) => sum + cut.registered, 0);
  const due = plan.cuts * plan.blocksPerCut;
  return {
    name: named('registered', plan),
    ours: `${registered} blocks registered in as many cuts (answers: ${answers.map(listed).join('; ')})`,
    peer: `${due} blocks brought`,
    ratio: registered / due,
    limit: FULL_PART,
  };
}

function paidRow({ plan, cuts }: Measured): Row {
  const paid = cuts.reduce((sum, cut) => sum + cut.paid, 0);
  const due = plan.cuts * plan.blocksPerCut * PAYMENTS_PER_BLOCK;
  return {
    name: named('paid', plan),
    ours: `${paid} payments made final`,
    peer: `${due} signed`,
    ratio: paid / due,
    limit: FULL_PART,
  };
}

function mainRow({ plan, cuts, usage }: Measured): Row {
  const each = usage.mainMillis / (cuts.length - 1);
  return {
    name: named('main-thread', plan),
    ours: `${millis(each)} of processor time a cut on the main thread`,
    peer: `${millis(plan.paceMillis)} there are`,
    ratio: plan.paceMillis / each,
    limit: 1,
  };
}

function coresRow({ plan, cuts, usage, ownMillis }: Measured): Row {
  const each = (usage.allMillis - ownMillis) / (cuts.length - 1);
  return {
    name: named('all-threads', plan),
    ours: `${millis(each)} of processor time a cut on all threads of the node`,
    peer: `${millis(CORES * plan.paceMillis)} there are on ${CORES} cores`,
    ratio: (CORES * plan.paceMillis) / each,
    limit: 1,
  };
}

function loopRow({ plan, loop }: Measured): Row {
  const at = (percent: number) => millis(loop.percentile(percent) / 1e6);
  return {
    name: named('event-loop', plan),
    ours: `delayed by ${at(50)} median, ${at(99)} p99, ${millis(loop.max / 1e6)} at most`,
    peer: `${millis(LOOP_MILLIS_MAX)} allowed at p99`,
    ratio: LOOP_MILLIS_MAX / (loop.percentile(99) / 1e6),
    limit: 1,
  };
}

function readsRow({ plan, reads }: Measured): Row {
  const p99 = quantile(reads.millis, 0.99);
  const answered = `${reads.millis.length - reads.failed} of ${reads.asked} balance reads answered`;
  return {
    name: named('reads', plan),
    ours: `${answered}, ${millis(quantile(reads.millis, 0.5))} median, ${millis(p99)} p99`,
    peer: `${millis(READ_MILLIS_MAX)} allowed at p99`,
    ratio: reads.failed > 0 ? 0 : READ_MILLIS_MAX / p99,
    limit: 1,
  };
}

function memoryRow({ plan, usage }: Measured): Row {
  const [start, end] = usage.residentBytes.map((bytes) => `${(bytes / 1e6).toFixed(0)} MB`);
  return {
    name: named('memory', plan),
    ours: `${start} resident at the start, ${end} at the end`,
    peer: `${RESIDENT_BYTES_MAX / 1e6} MB allowed at the end`,
    ratio: RESIDENT_BYTES_MAX / usage.residentBytes[1],
    limit: 1,
  };
}

function listed(answers: ReadonlyMap<string, number>): string {
  return [...answers].map(([name, count]) => `${count} ${name}`).join(', ');
}
