/**
 * One view of the head for all requests of a height. It is opened when the first request comes, and closed when
 * the next cut is final and the last request that reads it is done. A request that meets the next cut in its
 * middle is answered anew from there.
 */
import { type ChainReader, repeatWhenMoved, StoreMovedError } from 'svc-storage';
import type { Chain } from '../../ports.ts';
import { Refused } from '../../refusal.ts';

const RETRY_MILLIS = 1_000;
/** Things kept of one height, mostly balances; a stalled chain stays at its height for long. */
const COMPUTED_MAX = 65_536;

/** A view that requests share, with what was computed from it. */
export class Snapshot {
  readonly reader: ChainReader;
  readonly #computed = new Map<string, unknown>();
  #readers = 0;
  #isRetired = false;

  constructor(reader: ChainReader) {
    this.reader = reader;
  }

  get height(): number {
    return this.reader.head.height;
  }

  /** Computes something of this height once; it must be the same for every request. A failure is not kept. */
  once<T>(name: string, compute: () => T): T {
    const known = this.#computed.get(name) as T | undefined;
    if (known !== undefined) return known;
    const computed = compute();
    if (this.#computed.size >= COMPUTED_MAX) this.#computed.clear();
    this.#computed.set(name, computed);
    if (computed instanceof Promise) computed.catch(() => this.#computed.delete(name));
    return computed;
  }

  enter(): void {
    this.#readers++;
  }

  readonly leave = (): void => {
    this.#readers--;
    this.#closeIfDone();
  };

  retire(): void {
    this.#isRetired = true;
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (this.#isRetired && this.#readers === 0) void this.reader.close();
  }
}

export class SharedReaders {
  readonly #chain: Chain;
  readonly #stop: () => void;
  #current: Snapshot | undefined;

  constructor(chain: Chain) {
    this.#chain = chain;
    this.#stop = chain.finalized.on(() => this.#retire());
  }

  /** Reads everything of one answer from one cut; `use` does nothing but read, as it may be called again. */
  async read<T>(use: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    try {
      return await repeatWhenMoved(() => this.#readOnce(use));
    } catch (error) {
      if (!(error instanceof StoreMovedError)) throw error;
      const retryAfterMillis = RETRY_MILLIS;
      throw new Refused('overloaded', 'cuts came faster than the answer', { retryAfterMillis });
    }
  }

  /** The same for what is read in one turn: the answer is there at once, unless a newer cut is. */
  readNow<T>(use: (snapshot: Snapshot) => T): T | Promise<T> {
    try {
      return use(this.#snapshot());
    } catch (error) {
      if (!(error instanceof StoreMovedError)) throw error;
      return this.read(async (snapshot) => use(snapshot));
    }
  }

  #snapshot(): Snapshot {
    this.#current ??= new Snapshot(this.#chain.reader());
    return this.#current;
  }

  async #readOnce<T>(use: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const snapshot = this.#snapshot();
    snapshot.enter();
    try {
      return await use(snapshot);
    } catch (error) {
      if (error instanceof StoreMovedError && this.#current === snapshot) this.#retire();
      throw error;
    } finally {
      snapshot.leave();
    }
  }

  close(): void {
    this.#stop();
    this.#retire();
  }

  #retire(): void {
    this.#current?.retire();
    this.#current = undefined;
  }
}
