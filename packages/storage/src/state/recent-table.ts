/**
 * A map that forgets what was not read or set lately. It has two generations: when the young one is full the old one is
 * dropped whole, so that forgetting costs nothing for each record, and the last half of the limit is always there. Evicting the
 * oldest entry of one map instead would walk over the places of all that were evicted before it.
 */
export class RecentTable<R> {
  readonly #generationMax: number;
  #young = new Map<string, R>();
  #old = new Map<string, R>();

  /** At most so many records are kept. */
  constructor(sizeMax: number) {
    this.#generationMax = sizeMax / 2;
  }

  /** A record of the old generation that is asked for becomes young again. */
  get(key: string): R | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** Hides what the old generation has under the key. */
  set(key: string, record: R): void {
    if (this.#young.size >= this.#generationMax && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, record);
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
