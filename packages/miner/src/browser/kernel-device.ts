/**
 * A device that searches in the thread that calls it, for a worker of a page: no Node, no threads, no files. It works
 * in turns, so that messages of the server and of the page come in between. Only small datasets fit, which is what
 * development networks have.
 */
import type { PowKey } from 'svc-mining/pow';
import { pow } from 'svc-wasm/kernel';
import type { Device, DeviceResult, DeviceSearch } from '../devices/device.ts';

/** A page has no room for the two gibibytes of other networks. */
const DATASET_BYTES_MAX = 64 << 20;
const ITEM_BYTES = 64;
/** Items of one turn: about a tenth of a second. */
const ITEMS_PER_TURN = 8_192;
const COUNTER_BYTES = 8;
const FIRST_BATCH = 256;
const BATCH_MAX = 1 << 20;

export class KernelDevice implements Device {
  readonly id = 'cpu:0';
  readonly name = 'this page';
  readonly kind = 'cpu';
  readonly firstBatch = FIRST_BATCH;
  readonly batchStep = 1;
  readonly batchMax = BATCH_MAX;
  #ready: { readonly period: number; readonly dataset: pow.PowDataset } | undefined;
  /** The last turn; the next one begins after it. */
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  async prepare(
    period: number,
    { seed, cacheBytes, datasetBytes }: PowKey,
    onProgress: (share: number) => void,
  ): Promise<void> {
    if (datasetBytes > DATASET_BYTES_MAX)
      throw new Error(`a page has no room for a dataset of ${datasetBytes >> 20} MiB`);
    this.#ready = undefined;
    const dataset = pow.allocateDataset(pow.makeCache(seed, cacheBytes), datasetBytes);
    const items = datasetBytes / ITEM_BYTES;
    for (let from = 0; from < items; from += ITEMS_PER_TURN) {
      await nextTurn();
      if (this.#isClosed) throw new Error('the device is closed');
      pow.fillDataset(dataset, from, Math.min(from + ITEMS_PER_TURN, items));
      onProgress(Math.min(1, (from + ITEMS_PER_TURN) / items));
    }
    this.#ready = { period, dataset };
  }

  search(search: DeviceSearch): Promise<DeviceResult> {
    const result = this.#turn.then(nextTurn).then(() => this.#searchNow(search));
    this.#turn = result.catch(() => {});
    return result;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#turn;
    this.#ready = undefined;
  }

  #searchNow({ period, header, target, start, count }: DeviceSearch): DeviceResult {
    const nothing = { done: 0, nonces: [], wrong: 0, lost: 0 };
    if (this.#isClosed) return nothing;
    if (this.#ready?.period !== period)
      throw new Error(`the dataset of period ${period} is not ready`);
    const { done, hit } = pow.search(this.#ready.dataset, header, {
      freeBytes: COUNTER_BYTES,
      start,
      count,
      shareTarget: target,
      blockTarget: target,
    });
    return { ...nothing, done, nonces: hit === undefined ? [] : [hit.nonce] };
  }
}

/** Yields to everything that has arrived. Unlike a timer, a message to oneself is not slowed down by browsers. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
}
