/**
 * Appends records and counts them. All records of one turn share one sync; a sync that fails is
 * fatal, because the content of the disk is unknown then.
 */
import { encodeRecord } from './record.ts';

export interface LogStorage {
  append(bytes: Uint8Array): void;
  /** For storage in memory: appends bytes that are made only when the log is read. */
  appendLater?(make: () => Uint8Array): void;
  sync(): void;
  /** Resolves when everything appended before the call is on the disk. */
  flush?(): Promise<void>;
  /** Removes every record and makes that durable. */
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

  /** Appends records in one write. */
  appendAll(payloads: readonly Uint8Array[]): void {
    const synced = this.#synced;
    const records = payloads.map((payload, index) =>
      encodeRecord({ sequence: this.#written + index, synced, payload }),
    );
    const bytes = new Uint8Array(records.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const record of records) {
      bytes.set(record, at);
      at += record.length;
    }
    this.#storage.append(bytes);
    this.#written += records.length;
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

  /** As `sync`, beside other work; records that are appended meanwhile may or may not be on the disk. */
  async flush(): Promise<void> {
    const written = this.#written;
    if (this.#synced === written) return;
    await this.#storage.flush?.();
    this.#synced = Math.max(this.#synced, written);
  }

  reset(): void {
    this.#storage.reset();
    this.#written = 0;
    this.#synced = 0;
  }
}
