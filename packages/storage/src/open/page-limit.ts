/**
 * Looks every few seconds how much of mapped files is in memory, and gives the pages of a database back when it is too
 * much. It changes no answer, and costs those who read next a microsecond for each 64 KB that they touch.
 */
import { mappedBytes } from '../key-value/mapped-tables.ts';

const PAUSE_MILLIS = 5_000;
/** With the program itself, some 60 MB. */
const MAPPED_BYTES_MAX = 320 << 20;

export interface PagePorts {
  readonly mapped: () => number;
  readonly mappedMax: number;
  readonly pauseMillis: number;
}

const PORTS: PagePorts = {
  mapped: mappedBytes,
  mappedMax: MAPPED_BYTES_MAX,
  pauseMillis: PAUSE_MILLIS,
};

export class PageLimit {
  readonly #timer: NodeJS.Timeout;
  #isReleasing = false;

  constructor(engine: { releasePages(): Promise<number> }, ports: PagePorts = PORTS) {
    this.#timer = setInterval(() => {
      if (this.#isReleasing || ports.mapped() < ports.mappedMax) return;
      this.#isReleasing = true;
      engine
        .releasePages()
        .catch(() => {}) // A store that is being closed has no pages to give back.
        .finally(() => {
          this.#isReleasing = false;
        });
    }, ports.pauseMillis);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
