/**
 * What one stream of a peer may be served. The origin of the peer pays for what this node does for it, answered or
 * not: for sent bytes by their number, and for every lookup a least price. Nothing is read for an origin in debt, so
 * queued requests hold no memory. Nothing is done for a stream that has ended.
 */
import { type Clock, sleep, type TokenBucket } from 'svc-base/pure';
import type { FairLimit } from '../base/fair-limit.ts';
import type { Semaphore } from '../base/semaphore.ts';

/** The least price of a lookup: it takes about as long as sending so many bytes. */
export const LOOKUP_BYTES = 2_048;

export interface ServingParts {
  readonly clock: Clock;
  readonly origin: string;
  /** What the origin may be served over the protocol. */
  readonly served: TokenBucket;
  /** Requests of the origin that may be in work at once over the protocol. */
  readonly places: Semaphore;
  /** The operator's limit for answers; absent if there is none. */
  readonly upload?: Upload | undefined;
  /** Aborted when the stream has ended. */
  readonly gone: AbortSignal;
}

/** The limit that answers of a kind wait for, and those that wait for what was sent here too. */
export interface Upload {
  readonly limit: FairLimit;
  readonly behind: readonly FairLimit[];
}

export class Serving {
  readonly #parts: ServingParts;

  constructor(parts: ServingParts) {
    this.#parts = parts;
  }

  /** Works on a request when not too many of its origin are in work. */
  async work(request: () => Promise<void>): Promise<void> {
    const { places, gone } = this.#parts;
    await places.take(gone);
    try {
      await request();
    } finally {
      places.give();
    }
  }

  /** To be awaited before anything is read for the peer. Throws or rejects if the stream has ended. */
  turn(): Promise<void> | undefined {
    const { clock, served, upload, gone } = this.#parts;
    gone.throwIfAborted();
    if (upload === undefined && served.waitMillis(clock.monotonic()) === 0) return undefined;
    return this.#wait();
  }

  /** Charges work for the peer that sends nothing. */
  charge(bytes: number): void {
    const { clock, served } = this.#parts;
    served.spend(bytes, clock.monotonic());
  }

  /** Counts a frame; to be awaited before it is sent. Throws or rejects if the stream has ended. */
  send(bytes: number): Promise<void> | undefined {
    this.charge(Math.max(LOOKUP_BYTES, bytes));
    return this.pass(bytes);
  }

  /** Waits for the operator's limit with a frame that is counted already. */
  pass(bytes: number): Promise<void> | undefined {
    const { upload, origin, gone } = this.#parts;
    gone.throwIfAborted();
    if (upload === undefined) return undefined;
    const passing = upload.limit.pass(origin, bytes, gone);
    if (passing === undefined) {
      for (const limit of upload.behind) limit.spend(bytes);
      return undefined;
    }
    return passing.then(() => {
      for (const limit of upload.behind) limit.spend(bytes);
    });
  }

  async #wait(): Promise<void> {
    const { clock, served, gone } = this.#parts;
    for (;;) {
      const waitMillis = served.waitMillis(clock.monotonic());
      if (waitMillis === 0) break;
      await sleep(clock, waitMillis, gone);
      gone.throwIfAborted();
    }
    await this.pass(0);
  }
}
