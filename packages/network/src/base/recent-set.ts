/**
 * Keys seen lately, at most a fixed number. Two generations: when the young one is full the old one is
 * dropped whole, so forgetting costs nothing and the last half of the limit is always remembered.
 */
export class RecentSet {
  readonly #generationMax: number;
  #young = new Set<string>();
  #old = new Set<string>();

  constructor(sizeMax: number) {
    this.#generationMax = Math.max(1, Math.floor(sizeMax / 2));
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  has(key: string): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  /** Adds a key; returns whether it is new. */
  add(key: string): boolean {
    if (this.#young.has(key)) return false;
    const isNew = !this.#old.delete(key);
    if (this.#young.size >= this.#generationMax) this.age();
    this.#young.add(key);
    return isNew;
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  /** Forgets the older half. */
  age(): void {
    this.#old = this.#young;
    this.#young = new Set();
  }
}
