/**
 * Appends records and keeps their numbers. All records of one turn share one sync; a sync that
 * fails is fatal, because what the disk then holds is unknown.
 */
import { encodeRecord } from './record.ts';

export interface LogStorage {
  append(bytes: Uint8Array): void;
  /** For storage that does not outlive the process: appends bytes that are made only when they are read. */
  appendLater?(make: () => Uint8Array): void;
  sync(): void;
  /** Empties the file and makes that durable. */
  reset(): void;
  truncate(length: number): void;
}

export class LogWriter {
  readonly #storage: LogStorage;
  #written: number;
  #synced: number;

  /** `records` intact records are in the file already, all of them on disk. */
  constructor(storage: LogStorage, records = 0) {
    this.#storage = storage;
    this.#written = records;
    this.#synced = records;
  }

  append(payload: Uint8Array): void {
    this.appendMade(() => payload);
  }

  /** Appends a payload that is made now or, where the storage allows it, when the log is read. */
  appendMade(makePayload: () => Uint8Array): void {
    const numbers = { sequence: this.#written, synced: this.#synced };
    const make = () => encodeRecord({ ...numbers, payload: makePayload() });
    if (this.#storage.appendLater === undefined) this.#storage.append(make());
    else this.#storage.appendLater(make);
    this.#written += 1;
  }

  sync(): void {
    if (this.#synced === this.#written) return;
    this.#storage.sync();
    this.#synced = this.#written;
  }

  reset(): void {
    this.#storage.reset();
    this.#written = 0;
    this.#synced = 0;
  }
}
