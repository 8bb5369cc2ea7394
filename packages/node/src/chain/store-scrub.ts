/**
 * Reads the store's files slowly again and again while the node runs, so that rot is found before anybody is served
 * from it. Damage ends the node: its words name the file, the tables in it and the ways to repair.
 */
import { type Clock, type Log, sleep } from 'svc-base/pure';
import { scrubTables } from 'svc-storage';

/** A node that has just been started has better things to do. */
const FIRST_MILLIS = 60_000;
const BETWEEN_MILLIS = 3_600_000;
/** Two megabytes a second: 10 GB in an hour and a half, for less than a hundredth of a core. */
const PIECE_BYTES = 1 << 20;
const PAUSE_MILLIS = 500;

export interface StoreScrubPorts {
  /** The folder of the engine's files. */
  readonly database: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly onFatal: (error: unknown) => void;
}

export class StoreScrub {
  readonly #ports: StoreScrubPorts;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;

  constructor(ports: StoreScrubPorts) {
    this.#ports = ports;
    this.#running = this.#repeat().catch(ports.onFatal);
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #repeat(): Promise<void> {
    await this.#wait(FIRST_MILLIS);
    while (!this.#ending.signal.aborted) {
      const pause = () => this.#wait(PAUSE_MILLIS);
      const bytes = await scrubTables(this.#ports.database, { pieceBytes: PIECE_BYTES, pause });
      this.#ports.log.debug({ bytes }, 'the files of the store are as they were written');
      await this.#wait(BETWEEN_MILLIS);
    }
  }

  /** False if the node is being closed. */
  async #wait(millis: number): Promise<boolean> {
    await sleep(this.#ports.clock, millis, this.#ending.signal);
    return !this.#ending.signal.aborted;
  }
}
