/**
 * Figures of the last cuts for charts, in rings of fixed size: every cut, every 24 cuts, every 288 cuts. Filled
 * from the store at the start as far as one ring of cuts reaches.
 */
import type { SeriesMetric } from 'svc-api';
import { type ChainReader, type CutSummary, readAtHead } from 'svc-storage';
import { type CutHeader, decodeCutHeader } from 'svc-wasm/protocol';
import type { Chain, FinalizedCut } from '../../ports/chain.ts';
import type { Mempool } from '../../ports/mempool.ts';

export const SERIES_STEPS = [1, 24, 288] as const;
export type SeriesStep = (typeof SERIES_STEPS)[number];

export interface SeriesPoint {
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

export class ChainSeries {
  readonly #mempool: Mempool;
  readonly #rings = new Map<SeriesStep, Ring<CutFigures>>();
  readonly #stop: () => void;
  #lastTime: number;
  /** Cuts that were finalized while older ones are still read from the store; null afterwards. */
  #waiting: CutFigures[] | null = [];

  private constructor(chain: Chain, mempool: Mempool) {
    this.#mempool = mempool;
    this.#lastTime = chain.headTimeMillis;
    for (const step of SERIES_STEPS) this.#rings.set(step, new Ring(POINTS));
    this.#stop = chain.finalized.on((cut) => this.#addFinalized(cut));
  }

  static async start(chain: Chain, mempool: Mempool): Promise<ChainSeries> {
    const series = new ChainSeries(chain, mempool);
    const older = await readFigures(chain);
    for (const figures of [...older, ...(series.#waiting ?? [])]) series.#add(figures);
    series.#waiting = null;
    return series;
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
    if (this.#waiting === null) this.#add(figures);
    else this.#waiting.push(figures);
  }

  #add(figures: CutFigures): void {
    for (const [step, ring] of this.#rings) {
      const last = ring.newest;
      const isOpen = last !== undefined && last.height % step !== 0;
      if (isOpen) ring.replaceNewest(sum(last, figures));
      else ring.push(figures);
    }
  }
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
  const target = BigInt(`0x${Buffer.from(workTarget).toString('hex')}`);
  return target === 0n ? 0n : (HASHES / (target + 1n)) * BigInt(registeredCount);
}

interface StoredFigures {
  readonly header: CutHeader;
  readonly summary: CutSummary | undefined;
}

async function readCuts(reader: ChainReader): Promise<StoredFigures[]> {
  const cuts: StoredFigures[] = [];
  let before: number | undefined;
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

/** The figures of the newest cuts in the store, oldest first. */
async function readFigures(chain: Chain): Promise<CutFigures[]> {
  const cuts = await readAtHead(chain, readCuts);
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
