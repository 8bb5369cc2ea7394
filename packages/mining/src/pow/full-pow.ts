/**
 * Proof of work with the dataset of the period in memory: a hash takes microseconds, so it runs on the thread
 * that asks. While a dataset is being made, and for blocks of another period, the cache alone serves.
 */

import type { Clock, Log } from 'svc-base/pure';
import { attachSharedPow, meetsTarget, pow, powInput } from 'svc-wasm/kernel';
import { datasetPath, removeOldDatasets } from './dataset-folder.ts';
import { DatasetMaker, type SharedDataset } from './dataset-maker.ts';
import { LightPow } from './light-pow.ts';
import { type PowPeriods, targetOf } from './pow-periods.ts';
import type { ProofOfWork, WorkVerdict } from './proof-of-work.ts';

export interface FullPowOptions {
  readonly periods: PowPeriods;
  /** Where datasets are kept. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  /** How many threads make the dataset that is needed now. */
  readonly threads: number;
  readonly onProgress?: (fraction: number) => void;
}

interface Current extends SharedDataset {
  readonly work: pow.PowDataset;
}

export class FullPow implements ProofOfWork {
  readonly mode = 'full';
  readonly #options: FullPowOptions;
  readonly #light: LightPow;
  readonly #maker: DatasetMaker;
  #isClosed = false;
  #current: Current | undefined;
  #making: { readonly period: number; readonly done: Promise<void> } | undefined;
  #ahead: { readonly period: number; readonly done: Promise<void> } | undefined;

  constructor(options: FullPowOptions) {
    this.#options = options;
    this.#light = new LightPow(options.periods);
    this.#maker = new DatasetMaker(options.clock, options.log);
  }

  /** The dataset in memory, for threads that mine with it. */
  get dataset(): SharedDataset | undefined {
    return this.#current;
  }

  /** Hashes for which there is no dataset, so that they wait for the thread of the cache. */
  get waiting(): number {
    return this.#light.waiting;
  }

  async check(header: Uint8Array): Promise<WorkVerdict> {
    const current = this.#current;
    if (current?.period !== this.#options.periods.ofHeader(header))
      return this.#light.check(header);
    const { result } = pow.full(current.work, powInput(header));
    return { holds: meetsTarget(result, targetOf(header)), result };
  }

  /** Resolves without a dataset when it is closed meanwhile. */
  async prepare(height: number): Promise<void> {
    const { periods } = this.#options;
    const period = periods.ofHeight(height);
    if (this.#making?.period !== period) this.#making = { period, done: this.#change(period) };
    try {
      await this.#making.done;
    } catch (error) {
      this.#making = undefined;
      if (this.#isClosed) return;
      throw error;
    }
    const next = periods.ofHeight(height + periods.aheadCuts);
    if (next !== period && this.#ahead?.period !== next)
      this.#ahead = { period: next, done: this.#prepareAhead(next) };
  }

  /** Resolves when nothing is being made ahead any more. */
  async settled(): Promise<void> {
    await this.#ahead?.done;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#maker.close();
    await this.#light.close();
    await Promise.allSettled([this.#making?.done, this.#ahead?.done]);
  }

  async #change(period: number): Promise<void> {
    // Two datasets at a time are enough for any machine: the old one is freed, one made ahead is awaited.
    this.#current = undefined;
    await this.#ahead?.done;
    const dataset = await this.#make(period, false);
    const work = attachSharedPow(dataset.memory, dataset.module, 0);
    this.#current = { ...dataset, work };
    await removeOldDatasets(this.#options.folder, period);
  }

  /** Writes the file of a period; after a failure it is made when the period begins. */
  async #prepareAhead(period: number): Promise<void> {
    try {
      await this.#make(period, true);
    } catch (error) {
      if (this.#isClosed) return;
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.log.warn({ period, reason }, 'the next dataset could not be made ahead');
    }
  }

  #make(period: number, isBackground: boolean): Promise<SharedDataset> {
    const { periods, folder, threads, onProgress = () => {} } = this.#options;
    return this.#maker.make({
      key: periods.keyOf(period),
      period,
      path: datasetPath(folder, period),
      threads: isBackground ? 1 : threads,
      isBackground,
      onProgress: isBackground ? () => {} : onProgress,
    });
  }
}
