/**
 * What a server did, for its page of statistics and its metrics: totals, and a line for each worker. The number of
 * workers that are listed is bounded; of more, the one that was silent for longest is dropped.
 */
import { type Clock, Histogram } from 'svc-base/pure';
import type { BlockResult, Miner, PendingShare, Refusal } from 'svc-mining';
import { type Rates, WorkMeter } from './work-meter.ts';

export interface WorkerLine {
  readonly address: string;
  readonly worker: string;
  connections: number;
  accepted: number;
  stale: number;
  refused: number;
  blocks: number;
  work: bigint;
  readonly sinceMillis: number;
  lastShareMillis: number | null;
  readonly meter: WorkMeter;
}

/** Upper ends in seconds of what durations are counted by. */
const DURATION_BUCKETS = [0.0001, 0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 5] as const;

const WORKERS_MAX = 4_096;

export class Statistics {
  readonly #clock: Clock;
  readonly #workers = new Map<string, WorkerLine>();
  readonly #meter = new WorkMeter();
  readonly refusals: Map<Refusal, number> = new Map();
  readonly blocks: Map<BlockResult, number> = new Map();
  readonly checks: Histogram = new Histogram(DURATION_BUCKETS);
  readonly fanouts: Histogram = new Histogram(DURATION_BUCKETS);
  readonly startedAt: number;
  accepted = 0;
  work = 0n;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.startedAt = clock.monotonic();
  }

  get workers(): readonly WorkerLine[] {
    return [...this.#workers.values()];
  }

  rates(): Rates {
    return this.#meter.rates(this.#clock.monotonic());
  }

  ratesOf({ meter }: WorkerLine): Rates {
    return meter.rates(this.#clock.monotonic());
  }

  addConnection(miner: Miner): void {
    this.#line(miner).connections++;
  }

  removeConnection(miner: Miner): void {
    const line = this.#workers.get(keyOf(miner));
    if (line !== undefined && line.connections > 0) line.connections--;
  }

  addShare({ miner, difficulty }: PendingShare, block: BlockResult | undefined): void {
    const now = this.#clock.monotonic();
    const line = this.#line(miner);
    this.accepted++;
    this.work += difficulty;
    this.#meter.add(difficulty, now);
    line.accepted++;
    line.work += difficulty;
    line.meter.add(difficulty, now);
    line.lastShareMillis = this.#clock.now();
    if (block === undefined) return;
    this.blocks.set(block, (this.blocks.get(block) ?? 0) + 1);
    if (block === 'accepted') line.blocks++;
  }

  addRefusal(refusal: Refusal, miner?: Miner): void {
    this.refusals.set(refusal, (this.refusals.get(refusal) ?? 0) + 1);
    if (miner === undefined) return;
    const line = this.#line(miner);
    if (refusal === 'stale') line.stale++;
    else line.refused++;
  }

  addCheck(millis: number): void {
    this.checks.observe(millis / 1_000);
  }

  addFanout(millis: number, _connections: number): void {
    this.fanouts.observe(millis / 1_000);
  }

  #line(miner: Miner): WorkerLine {
    const key = keyOf(miner);
    const line = this.#workers.get(key) ?? {
      ...miner,
      connections: 0,
      accepted: 0,
      stale: 0,
      refused: 0,
      blocks: 0,
      work: 0n,
      sinceMillis: this.#clock.now(),
      lastShareMillis: null,
      meter: new WorkMeter(),
    };
    this.#workers.delete(key);
    this.#workers.set(key, line);
    for (const oldest of this.#workers.keys())
      if (this.#workers.size > WORKERS_MAX) this.#workers.delete(oldest);
      else break;
    return line;
  }
}

function keyOf({ address, worker }: Miner): string {
  return `${address}.${worker}`;
}
