/**
 * Collects accepted shares and writes them in batches. A share is acknowledged when its batch is on the disk, so a
 * killed program loses only unacknowledged shares. A write that fails is fatal.
 */
import { asError, type Clock } from 'svc-base/pure';
import type { Database } from '../database/database.ts';
import { type AcceptedShare, writeShares } from './write-shares.ts';

export interface ShareWriterPorts {
  readonly database: Database;
  readonly clock: Clock;
  readonly onFatal: (error: Error) => void;
}

interface Waiting {
  readonly share: AcceptedShare;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** How long a share waits for others of its batch. */
const BATCH_MILLIS = 50;
const BATCH_SHARES_MAX = 1_024;

export class ShareWriter {
  readonly #ports: ShareWriterPorts;
  #waiting: Waiting[] = [];
  #isWriting = false;
  #stopTimer: (() => void) | undefined;
  #failure: Error | undefined;
  #batches = 0;
  #lastMillis = 0;

  constructor(ports: ShareWriterPorts) {
    this.#ports = ports;
  }

  get batches(): number {
    return this.#batches;
  }

  /** How long the last batch took. */
  get lastMillis(): number {
    return this.#lastMillis;
  }

  /** Resolves when the share is on the disk. */
  write(share: AcceptedShare): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ share, resolve, reject });
      if (share.block !== undefined || this.#waiting.length >= BATCH_SHARES_MAX) void this.#flush();
      else this.#stopTimer ??= this.#ports.clock.after(BATCH_MILLIS, () => void this.#flush());
    });
  }

  /** Writes the queued shares; none may be added afterwards. */
  async close(): Promise<void> {
    while (this.#waiting.length > 0 || this.#isWriting) {
      await this.#flush();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#stopTimer?.();
  }

  async #flush(): Promise<void> {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    if (this.#isWriting || this.#waiting.length === 0) return;
    this.#isWriting = true;
    const batch = this.#waiting.splice(0, BATCH_SHARES_MAX);
    const { database, clock, onFatal } = this.#ports;
    const began = clock.monotonic();
    try {
      const shares = batch.map(({ share }) => share);
      await database.transaction((sql) => writeShares(sql, shares));
      for (const { resolve } of batch) resolve();
      this.#batches++;
      this.#lastMillis = clock.monotonic() - began;
    } catch (error) {
      this.#failure = asError(error);
      for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(this.#failure);
      onFatal(this.#failure);
    }
    this.#isWriting = false;
    if (this.#waiting.length > 0) void this.#flush();
  }
}
