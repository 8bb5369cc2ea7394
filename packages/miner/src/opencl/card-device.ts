/**
 * A card as a device of the miner. The card itself lives in a thread, since its driver blocks.
 */
import { type PowKey, Thread } from 'svc-mining/pow';
import type { Device, DeviceResult, DeviceSearch } from '../devices/device.ts';
import { COUNT_STEP } from './card.ts';
import type { CardOrder, CardThreadData } from './card-thread.ts';
import type { OpenClDevice } from './list-devices.ts';

const SCRIPT = new URL('./card-thread.ts', import.meta.url);
const FIRST_BATCH_CARD = 1 << 20;
const FIRST_BATCH_CPU_DRIVER = 1 << 10;
const BATCH_MAX = 1 << 26;
const PROGRESS_MILLIS = 250;

export class CardDevice implements Device {
  readonly id: string;
  readonly name: string;
  readonly kind = 'opencl';
  readonly firstBatch: number;
  readonly batchStep = COUNT_STEP;
  readonly batchMax = BATCH_MAX;
  readonly #thread: Thread<CardOrder>;
  readonly #progress = new SharedArrayBuffer(4);

  constructor(device: OpenClDevice) {
    this.id = `gpu:${device.index}`;
    this.name = device.name;
    this.firstBatch = device.isCpu ? FIRST_BATCH_CPU_DRIVER : FIRST_BATCH_CARD;
    const data: CardThreadData = { index: device.index, progress: this.#progress };
    this.#thread = new Thread<CardOrder>(SCRIPT, data);
  }

  async prepare(_period: number, key: PowKey, onProgress: (share: number) => void): Promise<void> {
    const done = new Int32Array(this.#progress);
    Atomics.store(done, 0, 0);
    const timer = setInterval(() => onProgress(Atomics.load(done, 0) / 1_000), PROGRESS_MILLIS);
    try {
      await this.#thread.ask({ type: 'prepare', key });
      onProgress(1);
    } finally {
      clearInterval(timer);
    }
  }

  async prepareAhead(_period: number, key: PowKey): Promise<void> {
    await this.#thread.ask({ type: 'prepareAhead', key });
  }

  search(search: DeviceSearch): Promise<DeviceResult> {
    return this.#thread.ask<DeviceResult>({ type: 'search', search });
  }

  /** Bytes read and written in a second by copies within the card. */
  measureCopy(bytes: number, times: number): Promise<number> {
    return this.#thread.ask<number>({ type: 'measureCopy', bytes, times });
  }

  async close(): Promise<void> {
    if (this.#thread.isAlive) await this.#thread.ask({ type: 'close' }).catch(() => {});
    await this.#thread.close();
  }
}
