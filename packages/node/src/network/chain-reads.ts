/**
 * Views of the chain for peers: one serves many reads for a moment, and a new head gets a new one.
 */

import type { Chain } from 'svc-serve/ports';
import { type ChainReader, repeatWhenMoved, StoreMovedError } from 'svc-storage';

interface Lease {
  readonly reader: ChainReader;
  users: number;
  isOld: boolean;
}

const LEASE_MILLIS = 1_000;

export class ChainReads {
  readonly #chain: Pick<Chain, 'reader' | 'finalized'>;
  readonly #unfollow: () => void;
  #lease: Lease | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(chain: Pick<Chain, 'reader' | 'finalized'>) {
    this.#chain = chain;
    this.#unfollow = chain.finalized.on(() => this.#end());
  }

  /** Reads from one cut; `read` may be called again. */
  use<T>(read: (reader: ChainReader) => Promise<T>): Promise<T> {
    return repeatWhenMoved(() => this.#useOnce(read));
  }

  async #useOnce<T>(read: (reader: ChainReader) => Promise<T>): Promise<T> {
    const lease = this.#current();
    lease.users++;
    try {
      return await read(lease.reader);
    } catch (error) {
      if (error instanceof StoreMovedError && this.#lease === lease) this.#end();
      throw error;
    } finally {
      lease.users--;
      if (lease.isOld && lease.users === 0) await lease.reader.close();
    }
  }

  close(): void {
    this.#unfollow();
    this.#end();
  }

  #current(): Lease {
    if (this.#lease !== undefined) return this.#lease;
    this.#lease = { reader: this.#chain.reader(), users: 0, isOld: false };
    this.#timer = setTimeout(() => this.#end(), LEASE_MILLIS);
    return this.#lease;
  }

  #end(): void {
    clearTimeout(this.#timer);
    const lease = this.#lease;
    this.#lease = undefined;
    if (lease === undefined) return;
    lease.isOld = true;
    if (lease.users === 0) void lease.reader.close();
  }
}
