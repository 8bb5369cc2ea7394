/**
 * Watches how much space is free on the disk of the data directory, and tells the log when it falls below the limit
 * and when it is enough again. A disk that cannot be asked is not a trouble of the node: what it cannot write ends it.
 */
import { type Clock, type Log, sleep } from 'svc-base/pure';

const PAUSE_MILLIS = 30_000;

export interface DiskWatchPorts {
  /** Bytes that the node could still write. */
  readonly freeBytes: () => Promise<number>;
  readonly freeBytesMin: number;
  readonly clock: Clock;
  readonly log: Log;
}

export class DiskWatch {
  readonly #ports: DiskWatchPorts;
  readonly #ending = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #freeBytes: number | undefined;
  #isLow = false;
  #isUnreadable = false;

  /** Resolves after the first measurement. */
  static async start(ports: DiskWatchPorts): Promise<DiskWatch> {
    const watch = new DiskWatch(ports);
    await watch.#measure();
    watch.#running = watch.#repeat();
    return watch;
  }

  private constructor(ports: DiskWatchPorts) {
    this.#ports = ports;
  }

  /** As of the last measurement; undefined if it failed. */
  get freeBytes(): number | undefined {
    return this.#freeBytes;
  }

  get freeBytesMin(): number {
    return this.#ports.freeBytesMin;
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #repeat(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await sleep(this.#ports.clock, PAUSE_MILLIS, signal);
      if (!signal.aborted) await this.#measure();
    }
  }

  async #measure(): Promise<void> {
    try {
      this.#freeBytes = await this.#ports.freeBytes();
      this.#isUnreadable = false;
    } catch (error) {
      this.#freeBytes = undefined;
      if (!this.#isUnreadable)
        this.#ports.log.warn({ error: String(error) }, 'the free space of the disk is unknown');
      this.#isUnreadable = true;
      return;
    }
    this.#tell(this.#freeBytes);
  }

  #tell(freeBytes: number): void {
    const { freeBytesMin, log } = this.#ports;
    const isLow = freeBytes < freeBytesMin;
    if (isLow === this.#isLow) return;
    this.#isLow = isLow;
    const fields = { free_bytes: freeBytes, expected_bytes: freeBytesMin };
    if (isLow) log.warn(fields, 'the disk of the data directory is nearly full');
    else log.info(fields, 'the disk of the data directory has enough space again');
  }
}
