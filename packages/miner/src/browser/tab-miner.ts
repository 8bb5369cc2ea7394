/**
 * A miner in a page, from the page's side: orders to a worker with the script `svc-miner/browser-worker`, events from
 * it. The page makes the worker, since only the page's build knows where that script is served.
 *
 *     const worker = new Worker('/mining-worker.js', { type: 'module' });
 *     const miner = new TabMiner(worker, (event) => show(event));
 *     miner.start({ url: 'ws://127.0.0.1:28782/', username: `${address}.tab`, kernelUrl: '/svc.wasm' });
 *     …
 *     await miner.stop();
 */
import type { TabMinerEvent, TabMinerOptions, TabMinerOrder } from './tab-messages.ts';

export type { TabMinerEvent, TabMinerOptions } from './tab-messages.ts';

/** A worker that does not end its work in this time is ended. */
const STOP_MILLIS_MAX = 2_000;

export class TabMiner {
  readonly #worker: Worker;
  readonly #onEvent: (event: TabMinerEvent) => void;
  #stopped: Promise<void> | undefined;

  constructor(worker: Worker, onEvent: (event: TabMinerEvent) => void) {
    this.#worker = worker;
    this.#onEvent = onEvent;
    worker.addEventListener('message', ({ data }) => onEvent(data as TabMinerEvent));
    worker.addEventListener('error', ({ message }) => {
      onEvent({ type: 'failed', reason: message || 'the worker could not be loaded' });
    });
  }

  /** Begins to mine, once for a worker. It survives losses of the server until `stop`. */
  start(options: TabMinerOptions): void {
    this.#order({ type: 'start', options });
  }

  pause(): void {
    this.#order({ type: 'pause' });
  }

  resume(): void {
    this.#order({ type: 'resume' });
  }

  /** Leaves the server and ends the worker. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const worker = this.#worker;
    worker.addEventListener('message', ({ data }) => {
      if ((data as TabMinerEvent).type === 'stopped') resolve();
    });
    const timer = setTimeout(() => {
      this.#onEvent({ type: 'stopped' });
      resolve();
    }, STOP_MILLIS_MAX);
    this.#order({ type: 'stop' });
    await promise;
    clearTimeout(timer);
    worker.terminate();
  }

  #order(order: TabMinerOrder): void {
    this.#worker.postMessage(order);
  }
}
