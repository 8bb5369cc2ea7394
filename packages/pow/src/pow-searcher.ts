/**
 * Looks for nonces in a thread of its own, so that checks of others' blocks do not wait for it.
 */
import type { SharedDataset } from './dataset-maker.ts';
import type { SearchAnswer } from './hash-thread.ts';
import { type PowPeriods, targetOf } from './pow-periods.ts';
import { SearchThread } from './search-thread.ts';

/** Its place in a shared memory: the last, far from those that make the dataset. */
const PLACE = 255;

export class PowSearcher {
  readonly #periods: PowPeriods;
  readonly #dataset: () => SharedDataset | undefined;
  #thread: Promise<SearchThread> | undefined;
  #isClosed = false;

  /** Without a dataset of the right period it searches with the cache alone. */
  constructor(periods: PowPeriods, dataset: () => SharedDataset | undefined = () => undefined) {
    this.#periods = periods;
    this.#dataset = dataset;
  }

  /** Tries `count` nonces from `start` on against the target that the header names. */
  async search(header: Uint8Array, start: bigint, count: number): Promise<SearchAnswer> {
    if (this.#isClosed) throw new Error('the search is closed');
    this.#thread ??= SearchThread.start();
    const thread = await this.#thread;
    const period = this.#periods.ofHeader(header);
    const shared = this.#dataset();
    const isFit = shared?.period === period;
    const dataset = isFit
      ? { memory: shared.memory, module: shared.module, thread: PLACE }
      : undefined;
    const range = { header, start, count, target: targetOf(header) };
    return thread.search(this.#periods.keyOf(period), dataset, range);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#thread)?.close();
  }
}
