/**
 * Writes that reach the disk together: what arrives while one write is under way goes with the next. A write
 * that fails is the last, since the state of the disk is unknown then.
 */
import type { WriteOperation } from 'svc-storage';

/** The part of a key-value store that is written to. */
export interface WritableStore {
  write(operations: readonly WriteOperation[], options: { readonly sync: boolean }): Promise<void>;
}

interface Group {
  readonly operations: WriteOperation[];
  isSynced: boolean;
  readonly done: PromiseWithResolvers<void>;
}

function emptyGroup(): Group {
  const done = Promise.withResolvers<void>();
  done.promise.catch(() => {});
  return { operations: [], isSynced: false, done };
}

export class GroupCommit {
  readonly #store: WritableStore;
  readonly #onFatal: (error: Error) => void;
  #next = emptyGroup();
  #writing: Promise<void> | undefined;
  #failure: Error | undefined;
  #isClosed = false;

  constructor(store: WritableStore, onFatal: (error: Error) => void) {
    this.#store = store;
    this.#onFatal = onFatal;
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves when the operations are written; with `sync`, when they are on the disk. */
  write(operations: readonly WriteOperation[], options: { readonly sync: boolean }): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('the database is closed'));
    const group = this.#next;
    if (this.#failure !== undefined) group.done.reject(this.#failure);
    for (const operation of operations) group.operations.push(operation);
    group.isSynced ||= options.sync;
    this.#writing ??= this.#writeGroups();
    return group.done.promise;
  }

  /** Resolves when everything has been written, or when nothing more will be. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /** Refuses further writes; resolves when all earlier ones are written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.settled();
  }

  async #writeGroups(): Promise<void> {
    while (this.#next.operations.length > 0 && this.#failure === undefined) {
      // All submissions whose signatures were checked in one batch share one write.
      await new Promise((resolve) => setImmediate(resolve));
      const group = this.#next;
      this.#next = emptyGroup();
      try {
        await this.#store.write(group.operations, { sync: group.isSynced });
        group.done.resolve();
      } catch (cause) {
        this.#fail(group, cause);
      }
    }
    this.#writing = undefined;
  }

  #fail(group: Group, cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const failure = new Error(`a write failed (${reason}); what is on the disk is unknown`, {
      cause,
    });
    this.#failure = failure;
    group.done.reject(failure);
    this.#next.done.reject(failure);
    this.#onFatal(failure);
  }
}
