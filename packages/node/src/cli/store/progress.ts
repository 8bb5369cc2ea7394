/**
 * Says on standard error how far something long has come: in place on a terminal, now and then elsewhere.
 */
const TERMINAL_MILLIS = 100;
const LINE_MILLIS = 10_000;

export class Progress {
  readonly #what: string;
  readonly #total: number;
  readonly #isTerminal = process.stderr.isTTY === true;
  #shownAt = performance.now();
  #isShown = false;

  constructor(what: string, total: number) {
    this.#what = what;
    this.#total = total;
  }

  reach(count: number): void {
    const now = performance.now();
    if (now - this.#shownAt < (this.#isTerminal ? TERMINAL_MILLIS : LINE_MILLIS)) return;
    this.#shownAt = now;
    const percent = ((100 * count) / Math.max(1, this.#total)).toFixed(1);
    const text = `${this.#what} ${count} of ${this.#total} (${percent} %)`;
    process.stderr.write(this.#isTerminal ? `\r${text}` : `${text}\n`);
    this.#isShown = true;
  }

  end(): void {
    if (this.#isTerminal && this.#isShown) process.stderr.write('\n');
  }
}
