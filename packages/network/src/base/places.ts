/**
 * A number of places. Who finds none waits in a queue, and leaves it when its signal aborts.
 */
export class Places {
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
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(enter);
        signal.removeEventListener('abort', leave);
      };
      const enter = (): void => {
        end();
        resolve();
      };
      const leave = (): void => {
        end();
        reject(signal.reason);
      };
      this.#waiting.add(enter);
      signal.addEventListener('abort', leave);
    });
  }
}
