/**
 * The dataset that the processor's threads search with: one in shared memory, kept on disk by chain and period, made
 * ahead for the next period while this one is searched. It belongs to all threads together.
 */
import { type Clock, type Log, messageOf } from 'svc-base/pure';
import {
  DatasetMaker,
  datasetPath,
  type PowKey,
  removeOldDatasets,
  type SharedDataset,
} from 'svc-mining/pow';

export interface CpuDatasetsPorts {
  /** Where the programs of a user keep datasets of the chain that is mined now. */
  readonly folder: () => string;
  readonly threads: number;
  readonly clock: Clock;
  readonly log: Log;
}

interface Making {
  readonly period: number;
  readonly done: Promise<void>;
}

export class CpuDatasets {
  readonly #ports: CpuDatasetsPorts;
  readonly #maker: DatasetMaker;
  #current: SharedDataset | undefined;
  #making: Making | undefined;
  #ahead: Making | undefined;
  #isClosed = false;

  constructor(ports: CpuDatasetsPorts) {
    this.#ports = ports;
    this.#maker = new DatasetMaker(ports.clock, ports.log);
  }

  get current(): SharedDataset | undefined {
    return this.#current;
  }

  /** Has the dataset of a period in memory when it resolves; several callers wait for one making. */
  async prepare(period: number, key: PowKey, onProgress: (share: number) => void): Promise<void> {
    if (this.#current?.period === period) return onProgress(1);
    if (this.#making?.period !== period)
      this.#making = { period, done: this.#change(period, key, onProgress) };
    await this.#making.done;
    onProgress(1);
  }

  /** Writes the file of a later period; after a failure it is made when the period begins. */
  prepareAhead(period: number, key: PowKey): void {
    if (this.#ahead?.period === period || this.#current?.period === period) return;
    const making = this.#make(period, key, true, () => {}).then(
      () => {},
      (error: unknown) => {
        if (this.#isClosed) return;
        const reason = messageOf(error);
        this.#ports.log.warn({ period, reason }, 'the next dataset could not be made ahead');
      },
    );
    this.#ahead = { period, done: making };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#maker.close();
    await Promise.allSettled([this.#making?.done, this.#ahead?.done]);
  }

  async #change(period: number, key: PowKey, onProgress: (share: number) => void): Promise<void> {
    // Two datasets fit into the memory of most machines, three do not: the old one is freed first.
    this.#current = undefined;
    await this.#ahead?.done;
    try {
      this.#current = await this.#make(period, key, false, onProgress);
    } catch (error) {
      this.#making = undefined;
      throw error;
    }
    await removeOldDatasets(this.#ports.folder(), period);
  }

  #make(
    period: number,
    key: PowKey,
    isBackground: boolean,
    onProgress: (share: number) => void,
  ): Promise<SharedDataset> {
    const { threads } = this.#ports;
    return this.#maker.make({
      key,
      period,
      path: datasetPath(this.#ports.folder(), period),
      threads: isBackground ? 1 : threads,
      isBackground,
      onProgress,
    });
  }
}
