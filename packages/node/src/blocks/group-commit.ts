/**
 * Writes to a store in groups: while one group is on its way to the disk, the next gathers. Whoever puts
 * something waits until it is durable. The first failed write is the last: nobody knows what is on the disk.
 */
import type { KeyValueStore, WriteOperation } from 'svc-storage';

interface Group {
  readonly operations: WriteOperation[];
  readonly written: PromiseWithResolvers<void>;
}

export class GroupCommit {
  readonly #store: KeyValueStore;
  readonly #onFatal: (error: Error) => void;
  #next: Group | undefined;
  #writing: Promise<void> | undefined;
  #failure: Error | undefined;

  constructor(store: KeyValueStore, onFatal: (error: Error) => void) {
    this.#store = store;
    this.#onFatal = onFatal;
  }

  /** Resolves when the value is on the disk. */
  put(key: Uint8Array, value: Uint8Array): Promise<void> {
    return this.#add({ type: 'put', key, value });
  }

  /** What is not deleted before a crash is deleted by the next start. */
  delete(key: Uint8Array): void {
    this.#add({ type: 'del', key }).catch(() => {});
  }

  /** Resolves when everything so far is written, or can no longer be. */
  async settled(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  #add(operation: WriteOperation): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#next ??= { operations: [], written: Promise.withResolvers() };
    this.#next.operations.push(operation);
    const { promise } = this.#next.written;
    this.#writing ??= this.#writeAll();
    return promise;
  }

  async #writeAll(): Promise<void> {
    // One turn later, so that what comes in the same turn shares the first write.
    await Promise.resolve();
    while (this.#next !== undefined) {
      const { operations, written } = this.#next;
      this.#next = undefined;
      try {
        if (this.#failure !== undefined) throw this.#failure;
        await this.#store.write(operations, { sync: true });
        written.resolve();
      } catch (error) {
        this.#fail(error);
        written.reject(this.#failure);
      }
    }
    this.#writing = undefined;
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = error instanceof Error ? error : new Error(String(error));
    this.#onFatal(this.#failure);
  }
}
