/**
 * A thread that searches nonces, from its owner's side. A dataset is lent to the thread once and not with every batch:
 * each time a memory is sent to a thread it becomes another object there, and getting ready to hash with it takes
 * milliseconds.
 */
import type { HashOrder, LentDataset, SearchAnswer, SearchRange } from './hash-thread.ts';
import { startHashThread } from './light-pow.ts';
import type { PowKey } from './pow-periods.ts';
import type { Thread } from './thread.ts';

export class SearchThread {
  readonly #thread: Thread<HashOrder>;
  #lent: WebAssembly.Memory | undefined;

  static async start(): Promise<SearchThread> {
    return new SearchThread(await startHashThread());
  }

  private constructor(thread: Thread<HashOrder>) {
    this.#thread = thread;
  }

  /** Without a dataset it searches with the cache of the key. Searches end in their order. */
  search(key: PowKey, dataset: LentDataset | undefined, range: SearchRange): Promise<SearchAnswer> {
    if (this.#lent !== dataset?.memory) {
      this.#lent = dataset?.memory;
      // Orders are obeyed in turn, so the search below finds the dataset there; if the thread has ended, it fails too.
      void this.#thread.ask({ type: 'lend', dataset: dataset ?? null }).catch(() => {});
    }
    return this.#thread.ask<SearchAnswer>({ type: 'search', key, range });
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
