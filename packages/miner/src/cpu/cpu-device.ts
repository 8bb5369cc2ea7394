/**
 * A thread of the processor as a device of the miner. All such threads share one dataset in memory, which is made
 * once, kept on disk by period and made ahead for the next one (`svc-pow`).
 */
import { type FullPow, type PowKey, type PowPeriods, PowSearcher } from 'svc-pow';
import type { Device, DeviceResult, DeviceSearch } from '../devices/device.ts';

const FIRST_BATCH = 256;
/** What one search of the kernel takes at most. */
const BATCH_MAX = 1 << 24;

export interface CpuDeviceOptions {
  readonly index: number;
  readonly name: string;
  readonly periods: PowPeriods;
  /** Holds the dataset; its owner prepares and closes it. */
  readonly full: FullPow;
}

export class CpuDevice implements Device {
  readonly id: string;
  readonly name: string;
  readonly kind = 'cpu';
  readonly firstBatch = FIRST_BATCH;
  readonly batchStep = 1;
  readonly batchMax = BATCH_MAX;
  readonly #full: FullPow;
  readonly #searcher: PowSearcher;

  constructor({ index, name, periods, full }: CpuDeviceOptions) {
    this.id = `cpu:${index}`;
    this.name = name;
    this.#full = full;
    this.#searcher = new PowSearcher(periods, { dataset: () => full.dataset, index });
  }

  /** The dataset belongs to all threads together: `FullPow` is prepared by its owner. */
  async prepare(period: number, _key: PowKey, onProgress: (share: number) => void): Promise<void> {
    if (this.#full.dataset?.period !== period)
      throw new Error(`the dataset of period ${period} is not in memory`);
    onProgress(1);
  }

  async search({ header, start, count, target }: DeviceSearch): Promise<DeviceResult> {
    const { done, nonce } = await this.#searcher.search(header, start, count, target);
    return { done, nonces: nonce === null ? [] : [nonce], wrong: 0, lost: 0 };
  }

  close(): Promise<void> {
    return this.#searcher.close();
  }
}
