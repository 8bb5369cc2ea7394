/**
 * A number of slots. Callers without a free one wait in a queue, and leave it when their signal aborts.
 */
import { awaitTurn } from './await-turn.ts';

export class Semaphore {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Undefined if a place was free; else resolves with one, or rejects when the signal aborts. It must be given back. */
  take(signal: AbortSignal): Promise<void> | undefined {
    signal.throwIfAborted();
    if (this.#free === 0) return this.#wait(signal);
    this.#free--;
    return undefined;
  }

  give(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free++;
    else next();
  }

  #wait(signal: AbortSignal): Promise<void> {
    return awaitTurn(signal, (enter) => {
      this.#waiting.add(enter);
      return () => this.#waiting.delete(enter);
    });
  }
}
