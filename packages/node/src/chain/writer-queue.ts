/**
 * One task after another, so that nothing reads a state that another task is changing. A task that fails by
 * anything but a refusal of bad input is the last: what the disk or the state then is, nobody knows.
 */
import { SvcError } from 'svc-wasm/base';

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

  run<T>(task: () => T | Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new QueueClosedError('the chain is closed'));
    const result = this.#last.then(() => this.#runNow(task));
    this.#last = result.catch(() => {});
    return result;
  }

  /** Resolves when everything that was asked for so far has been done. */
  async settled(): Promise<void> {
    await this.#last;
  }

  /** Takes nothing more, and resolves when everything that was asked for has been done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.settled();
  }

  async #runNow<T>(task: () => T | Promise<T>): Promise<T> {
    if (this.#failure !== undefined) throw this.#failure.error;
    try {
      return await task();
    } catch (error) {
      if (error instanceof SvcError) throw error;
      this.#failure = { error };
      this.#onFatal(error);
      throw error;
    }
  }
}
