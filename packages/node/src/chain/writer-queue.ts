/**
 * Runs one task after another, so that no task reads a state that another is changing. A task that fails by
 * anything but a refusal of bad input is the last: the disk and the state are unknown after it.
 */
import { isRefusal } from 'svc-wasm/base';

export class QueueClosedError extends Error {
  override readonly name = 'QueueClosedError';
}

export class WriterQueue {
  readonly #onFatal: (error: unknown) => void;
  #last: Promise<unknown> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  #isClosed = false;

  constructor(onFatal: (error: unknown) => void) {
    this.#onFatal = onFatal;
  }

  /** Runs the task after all that were enqueued before it; resolves with its result. */
  enqueue<T>(task: () => T | Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new QueueClosedError('the chain is closed'));
    const result = this.#last.then(() => this.#runTask(task));
    this.#last = result.catch(() => {});
    return result;
  }

  /** Resolves when every task that was enqueued so far has ended. */
  async settled(): Promise<void> {
    await this.#last;
  }

  /** Refuses further tasks, and resolves when every task that was enqueued has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.settled();
  }

  async #runTask<T>(task: () => T | Promise<T>): Promise<T> {
    if (this.#failure !== undefined) throw this.#failure.error;
    try {
      return await task();
    } catch (error) {
      if (isRefusal(error)) throw error;
      this.#failure = { error };
      this.#onFatal(error);
      throw error;
    }
  }
}
