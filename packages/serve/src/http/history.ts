/**
 * Figures that are kept while the node runs: attendance of past epochs, series of the last cuts, the mempool document.
 */
import type { MempoolDocument, SeriesMetric } from 'svc-api';
import type { Clock } from 'svc-base/pure';
import { type EpochRecord, SINGLE_KEY } from 'svc-ledger';
import { type ChainReader, type CutSummary, readAtHead } from 'svc-storage';
import { type CutHeader, decodeCutHeader } from 'svc-wasm/protocol';
import type { Chain, FinalizedCut, Mempool } from '../ports.ts';

const EPOCHS_MAX = 30;

/**
 * Attendance of the epochs that ended while this node ran; the state keeps that of the running one only. It is
 * for people to look at: nothing is decided by it.
 */
export class AttendanceHistory {
  readonly #ended: EpochRecord[] = [];
  readonly #stop: () => void;

  constructor(chain: Chain) {
    this.#stop = chain.finalized.on((cut) => this.#recordEnded(cut));
  }

  /** The epochs that ended, newest first. */
  ended(limit: number): readonly EpochRecord[] {
    return this.#ended.slice(0, limit);
  }

  close(): void {
    this.#stop();
  }

  #recordEnded({ result }: FinalizedCut): void {
    for (const change of result.changes) {
      if (change.table !== 'epoch' || change.key !== SINGLE_KEY) continue;
      const { before, after } = change;
      if (before === undefined || before.epoch === after?.epoch) continue;
      this.#ended.unshift(before);
      this.#ended.length = Math.min(this.#ended.length, EPOCHS_MAX);
    }
  }
}

const SERIES_STEPS = [1, 24, 288] as const;
export type SeriesStep = (typeof SERIES_STEPS)[number];

interface SeriesPoint {
  readonly height: number;
  readonly timeMillis: number;
  readonly value: bigint;
}

/** Sums over one or more cuts. A figure that this node did not watch is null. */
interface CutFigures {
  readonly height: number;
  readonly timeMillis: number;
  readonly cuts: number;
  /** Milliseconds since the cut before. */
  readonly millis: number;
  readonly work: bigint;
  readonly blocks: number;
  readonly transactions: number;
  readonly fees: bigint | null;
  readonly mempool: number | null;
}

const POINTS = 720;
const PAGE = 90;
const HASHES = 1n << 256n;

/**
 * Figures of the last cuts for charts, in rings of fixed size: every cut, every 24 cuts, every 288 cuts. Cuts from before
 * the start are read from the store with the first request for them, as far as one ring of cuts reaches: a start does
 * not take longer on a longer chain.
 */
export class ChainSeries {
  readonly #chain: Chain;
  readonly #mempool: Mempool;
  /** The last cut that was final before figures were followed. */
  readonly #startHeight: number;
  readonly #stop: () => void;
  #rings = newRings();
  #lastTime: number;
  #filling: Promise<void> | undefined;

  constructor(chain: Chain, mempool: Mempool) {
    this.#chain = chain;
    this.#mempool = mempool;
    this.#startHeight = chain.head.height;
    this.#lastTime = chain.headTimeMillis;
    this.#stop = chain.finalized.on((cut) => this.#addFinalized(cut));
  }

  /** Resolves when the cuts from before the start are there as well; the first call reads them. */
  filled(): Promise<void> {
    this.#filling ??= this.#fill();
    return this.#filling;
  }

  /** Oldest first, at most `limit`. */
  read(metric: SeriesMetric, step: SeriesStep, limit: number): SeriesPoint[] {
    const figures = this.#rings.get(step)?.last(limit) ?? [];
    return figures.flatMap((item) => {
      const value = figureOf(metric, item);
      const { height, timeMillis } = item;
      return value === null ? [] : [{ height, timeMillis, value }];
    });
  }

  close(): void {
    this.#stop();
  }

  #addFinalized({ height, header, result }: FinalizedCut): void {
    const timeMillis = Number(header.time);
    const { outcomes } = result.events;
    const figures = {
      height,
      timeMillis,
      cuts: 1,
      millis: timeMillis - this.#lastTime,
      work: workOf(header),
      blocks: header.registeredCount,
      transactions: outcomes.length,
      fees: outcomes.reduce((total, { fee }) => total + fee, 0n),
      mempool: this.#mempool.size,
    };
    this.#lastTime = timeMillis;
    for (const [step, ring] of this.#rings) addTo(ring, step, figures);
  }

  /** Puts what the store has of earlier cuts before what was followed since. A failed attempt is made again. */
  async #fill(): Promise<void> {
    try {
      const older = await readFigures(this.#chain, this.#startHeight);
      const filled = newRings();
      for (const [step, ring] of filled) {
        for (const figures of older) addTo(ring, step, figures);
        for (const figures of this.#rings.get(step)?.last(POINTS) ?? []) addTo(ring, step, figures);
      }
      this.#rings = filled;
    } catch (error) {
      this.#filling = undefined;
      throw error;
    }
  }
}

function newRings(): Map<SeriesStep, Ring<CutFigures>> {
  return new Map(SERIES_STEPS.map((step) => [step, new Ring(POINTS)]));
}

/** Adds figures of the cuts that follow the newest ones, to those of the same step if it has not ended. */
function addTo(ring: Ring<CutFigures>, step: SeriesStep, figures: CutFigures): void {
  const last = ring.newest;
  const isOpen = last !== undefined && last.height % step !== 0;
  if (isOpen) ring.replaceNewest(sum(last, figures));
  else ring.push(figures);
}

function sum(a: CutFigures, b: CutFigures): CutFigures {
  return {
    ...b,
    cuts: a.cuts + b.cuts,
    millis: a.millis + b.millis,
    work: a.work + b.work,
    blocks: a.blocks + b.blocks,
    transactions: a.transactions + b.transactions,
    fees: a.fees === null || b.fees === null ? null : a.fees + b.fees,
  };
}

function figureOf(metric: SeriesMetric, figures: CutFigures): bigint | null {
  const { millis } = figures;
  switch (metric) {
    case 'hashrate':
      return millis <= 0 ? 0n : (figures.work * 1_000n) / BigInt(millis);
    case 'cut_time':
      return BigInt(Math.max(0, Math.round(millis / figures.cuts)));
    case 'blocks':
      return BigInt(figures.blocks);
    case 'transactions':
      return BigInt(figures.transactions);
    case 'fees':
      return figures.fees;
    case 'mempool':
      return figures.mempool === null ? null : BigInt(figures.mempool);
  }
}

/** Hashes that the registered blocks cost on average at the target of the header. */
function workOf({ registeredCount, workTarget }: CutHeader): bigint {
  if (registeredCount === 0) return 0n;
  const target = BigInt(`0x${Buffer.from(workTarget).toString('hex')}`);
  return target === 0n ? 0n : (HASHES / (target + 1n)) * BigInt(registeredCount);
}

interface StoredFigures {
  readonly header: CutHeader;
  readonly summary: CutSummary | undefined;
}

async function readCuts(reader: ChainReader, upTo: number): Promise<StoredFigures[]> {
  const cuts: StoredFigures[] = [];
  let before = upTo + 1;
  while (cuts.length <= POINTS) {
    const { rows, next } = await reader.cuts({ before, limit: PAGE });
    for (const { height, header } of rows) {
      cuts.push({ header: decodeCutHeader(header), summary: await reader.summary(height) });
    }
    if (next === null) break;
    before = next;
  }
  return cuts;
}

/** The figures of the last cuts up to a height that are in the store, oldest first. */
async function readFigures(chain: Chain, upTo: number): Promise<CutFigures[]> {
  const cuts = await readAtHead(chain, (reader) => readCuts(reader, upTo));
  return cuts.reverse().map((cut, index, all) => {
    const timeMillis = Number(cut.header.time);
    const previous = all[index - 1]?.header.time ?? BigInt(chain.genesis.timeMillis);
    const isFirst = index === 0 && cut.header.height > 1n;
    return {
      height: Number(cut.header.height),
      timeMillis,
      cuts: 1,
      millis: isFirst ? 0 : timeMillis - Number(previous),
      work: workOf(cut.header),
      blocks: cut.header.registeredCount,
      transactions: cut.summary?.transactions ?? 0,
      fees: null,
      mempool: null,
    };
  });
}

/** A list that forgets its oldest items beyond a fixed number. */
class Ring<T> {
  readonly #items: T[] = [];
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  get newest(): T | undefined {
    return this.#items.at(-1);
  }

  push(item: T): void {
    this.#items.push(item);
    if (this.#items.length > this.#size) this.#items.shift();
  }

  replaceNewest(item: T): void {
    this.#items[this.#items.length - 1] = item;
  }

  /** Oldest first. */
  last(count: number): readonly T[] {
    return this.#items.slice(-count);
  }
}

const WALK_MILLIS = 1_000;

interface Walked {
  readonly maxFeePerMass: bigint | null;
  readonly oldestMillis: number | null;
}

/**
 * The mempool document. Counts are as of now; the figures that need a walk through the pool are taken at most
 * once a second.
 */
export class MempoolFigures {
  readonly #chain: Chain;
  readonly #mempool: Mempool;
  readonly #clock: Clock;
  readonly #stops: readonly (() => void)[];
  #walked: Walked = { maxFeePerMass: null, oldestMillis: null };
  #isChanged = true;
  #walkedAt = Number.NEGATIVE_INFINITY;

  constructor(chain: Chain, mempool: Mempool, clock: Clock) {
    this.#chain = chain;
    this.#mempool = mempool;
    this.#clock = clock;
    const change = (): void => {
      this.#isChanged = true;
    };
    this.#stops = [mempool.added.on(change), mempool.removed.on(change)];
  }

  document(): MempoolDocument {
    const { size, bytes, mass } = this.#mempool;
    const { maxFeePerMass, oldestMillis } = size === 0 ? this.#empty() : this.#walk();
    return {
      api_version: 1,
      finalized_height: this.#chain.head.height,
      transactions: size,
      bytes,
      mass: String(mass),
      min_fee_per_mass: String(this.#chain.manifest.rules.min_fee_per_mass),
      max_fee_per_mass: maxFeePerMass === null ? null : String(maxFeePerMass),
      oldest_millis: oldestMillis,
    };
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #empty(): Walked {
    return { maxFeePerMass: null, oldestMillis: null };
  }

  #walk(): Walked {
    const now = this.#clock.now();
    const isDue = this.#isChanged && now - this.#walkedAt >= WALK_MILLIS;
    if (!isDue && this.#walked.oldestMillis !== null) return this.#walked;
    let maxFeePerMass = 0n;
    let oldestMillis = Number.POSITIVE_INFINITY;
    for (const { fee, mass, receivedAtMillis } of this.#mempool.all()) {
      const rate = mass === 0n ? 0n : fee / mass;
      if (rate > maxFeePerMass) maxFeePerMass = rate;
      oldestMillis = Math.min(oldestMillis, receivedAtMillis);
    }
    this.#walked = { maxFeePerMass, oldestMillis };
    this.#walkedAt = now;
    this.#isChanged = false;
    return this.#walked;
  }
}
