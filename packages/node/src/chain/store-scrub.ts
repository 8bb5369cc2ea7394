/**
 * Reads the files of a node's databases slowly again and again while the node runs, so that corruption is found before
 * anybody is served from it. A busy node reads hardly anything. Damage ends the node: its words name the file, the
 * tables in it and the ways to repair.
 */
import { type Clock, type Log, sleep } from 'svc-base/pure';
import { type Contents, scrubBodies, scrubTables } from 'svc-storage';

/** A node that has just been started has better things to do. */
const FIRST_MILLIS = 60_000;
/** Four megabytes a second: 10 GB in three quarters of an hour, for some hundredths of a core. */
const PIECE_BYTES = 1 << 20;
const PAUSE_MILLIS = 250;
const BUSY_MILLIS = 5_000;
/** A piece is read after so many pauses however busy the node is, so that a round ends some day. */
const BUSY_PAUSES_MAX = 60;

export interface ScrubbedDatabase {
  /** The folder of the engine's files. */
  readonly directory: string;
  readonly contents: Contents;
}

export interface StoreScrubPorts {
  readonly databases: readonly ScrubbedDatabase[];
  /** From the end of a round to the next one. */
  readonly intervalMillis: number;
  /** Whether the node has been busy since the last call. */
  readonly isBusy: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly onFatal: (error: unknown) => void;
}

export class StoreScrub {
  readonly #ports: StoreScrubPorts;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  #bytes = 0;
  #rounds = 0;

  constructor(ports: StoreScrubPorts) {
    this.#ports = ports;
    this.#running = this.#repeat().catch(ports.onFatal);
  }

  /** Bytes of files that were found sound, in all rounds together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Rounds that found every file sound. */
  get rounds(): number {
    return this.#rounds;
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #repeat(): Promise<void> {
    await this.#wait(FIRST_MILLIS);
    while (!this.#isEnding) {
      await this.#readAll();
      await this.#wait(this.#ports.intervalMillis);
    }
  }

  async #readAll(): Promise<void> {
    const { databases, log } = this.#ports;
    const before = this.#bytes;
    const pause = () => this.#pause();
    for (const { directory, contents } of databases) {
      this.#bytes += await scrubTables(directory, { contents, pieceBytes: PIECE_BYTES, pause });
      this.#bytes += await scrubBodies(directory, { pieceBytes: PIECE_BYTES, pause });
      if (this.#isEnding) return;
    }
    this.#rounds++;
    log.debug({ bytes: this.#bytes - before }, 'the files of the store are as they were written');
  }

  /** False if the node is being closed. */
  async #pause(): Promise<boolean> {
    await this.#wait(PAUSE_MILLIS);
    for (let pauses = 0; pauses < BUSY_PAUSES_MAX && this.#ports.isBusy(); pauses++) {
      await this.#wait(BUSY_MILLIS);
    }
    return !this.#isEnding;
  }

  get #isEnding(): boolean {
    return this.#ending.signal.aborted;
  }

  async #wait(millis: number): Promise<void> {
    await sleep(this.#ports.clock, millis, this.#ending.signal);
  }
}
