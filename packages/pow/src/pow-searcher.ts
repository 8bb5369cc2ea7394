/**
 * Looks for nonces in a thread of its own, so that checks of others' blocks do not wait for it.
 */
import type { SharedDataset } from './dataset-maker.ts';
import type { HashOrder, SearchAnswer } from './hash-thread.ts';
import { startHashThread } from './light-pow.ts';
import { type PowPeriods, targetOf } from './pow-periods.ts';
import type { Thread } from './thread.ts';

/** The last place in a shared memory; searchers count down from it, far from the threads that make the dataset. */
const LAST_PLACE = 255;

export interface PowSearcherOptions {
  /** The dataset to search with; without one of the right period the cache alone serves. */
  readonly dataset?: () => SharedDataset | undefined;
  /** Which of several searchers of one dataset this is, from 0. */
  readonly index?: number;
}

export class PowSearcher {
  readonly #periods: PowPeriods;
  readonly #dataset: () => SharedDataset | undefined;
  readonly #place: number;
  #thread: Promise<Thread<HashOrder>> | undefined;
  #isClosed = false;

  constructor(periods: PowPeriods, { dataset, index = 0 }: PowSearcherOptions = {}) {
    this.#periods = periods;
    this.#dataset = dataset ?? (() => undefined);
    this.#place = LAST_PLACE - index;
  }

  /** Tries `count` nonces from `start` on, until one is at or below the target: the header's own unless given. */
  async search(
    header: Uint8Array,
    start: bigint,
    count: number,
    target: Uint8Array = targetOf(header),
  ): Promise<SearchAnswer> {
    if (this.#isClosed) throw new Error('the search is closed');
    this.#thread ??= startHashThread();
    const thread = await this.#thread;
    const period = this.#periods.ofHeader(header);
    const shared = this.#dataset();
    const isFit = shared?.period === period;
    return thread.ask<SearchAnswer>({
      type: 'search',
      key: this.#periods.keyOf(period),
      dataset: isFit ? { memory: shared.memory, module: shared.module, thread: this.#place } : null,
      range: { header, start, count, target },
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#thread)?.close();
  }
}
