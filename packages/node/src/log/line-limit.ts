/**
 * Keeps a line that repeats itself from filling the disk: so many in a time, then none until the time is
 * over. Lines are the same if their part, level and message are; fields do not count.
 */
export const LINES_MAX = 20;
export const WINDOW_MILLIS = 10_000;
const KEYS_MAX = 1_024;

interface Window {
  startedAt: number;
  written: number;
  suppressed: number;
}

export class LineLimit {
  readonly #now: () => number;
  readonly #windows = new Map<string, Window>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How many lines were left out before this one, or null if this one is left out too. */
  admit(key: string): number | null {
    const now = this.#now();
    const window = this.#windows.get(key);
    if (window === undefined) {
      this.#makeRoom();
      this.#windows.set(key, { startedAt: now, written: 1, suppressed: 0 });
      return 0;
    }
    if (now - window.startedAt >= WINDOW_MILLIS) {
      const { suppressed } = window;
      Object.assign(window, { startedAt: now, written: 1, suppressed: 0 });
      return suppressed;
    }
    if (window.written < LINES_MAX) {
      window.written++;
      return 0;
    }
    window.suppressed++;
    return null;
  }

  /** Lines that were left out and not told of yet, by key. */
  *pending(): Generator<[key: string, suppressed: number]> {
    for (const [key, { suppressed }] of this.#windows) if (suppressed > 0) yield [key, suppressed];
  }

  #makeRoom(): void {
    if (this.#windows.size < KEYS_MAX) return;
    const [oldest] = this.#windows.keys();
    if (oldest !== undefined) this.#windows.delete(oldest);
  }
}
