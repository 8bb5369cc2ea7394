/**
 * A thread of the processor as a device of the miner. All such threads search with one dataset in shared memory.
 */
import { type PowKey, SearchThread } from 'svc-mining/pow';
import type { Device, DeviceResult, DeviceSearch } from '../devices/device.ts';
import type { CpuDatasets } from './cpu-datasets.ts';

const FIRST_BATCH = 256;
/** The most nonces of one search of the kernel. */
const BATCH_MAX = 1 << 24;
/** Slots in the shared memory are assigned downwards, away from the threads that make the dataset. */
const LAST_PLACE = 255;

export interface CpuDeviceOptions {
  readonly index: number;
  readonly name: string;
  /** Shared by all threads; its maker closes it. */
  readonly datasets: Pick<CpuDatasets, 'current' | 'prepare'>;
}

export class CpuDevice implements Device {
  readonly id: string;
  readonly name: string;
  readonly kind = 'cpu';
  readonly firstBatch = FIRST_BATCH;
  readonly batchStep = 1;
  readonly batchMax = BATCH_MAX;
  readonly #datasets: CpuDeviceOptions['datasets'];
  readonly #place: number;
  #thread: Promise<SearchThread> | undefined;
  #isClosed = false;

  constructor({ index, name, datasets }: CpuDeviceOptions) {
    this.id = `cpu:${index}`;
    this.name = name;
    this.#datasets = datasets;
    this.#place = LAST_PLACE - index;
  }

  prepare(period: number, key: PowKey, onProgress: (share: number) => void): Promise<void> {
    return this.#datasets.prepare(period, key, onProgress);
  }

  async search(search: DeviceSearch): Promise<DeviceResult> {
    const { period, key, header, target, start, count } = search;
    if (this.#isClosed) throw new Error('the device is closed');
    this.#thread ??= SearchThread.start();
    const thread = await this.#thread;
    const { current } = this.#datasets;
    if (current?.period !== period)
      throw new Error(`the dataset of period ${period} is not in memory`);
    const dataset = { memory: current.memory, module: current.module, thread: this.#place };
    const range = { header, start, count, target };
    const answer = await thread.search(key, dataset, range);
    const nonces = answer.nonce === null ? [] : [answer.nonce];
    return { done: answer.done, nonces, wrong: 0, lost: 0 };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#thread)?.close();
  }
}
