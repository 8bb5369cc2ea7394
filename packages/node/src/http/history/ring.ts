/**
 * A list that forgets its oldest items beyond a fixed number.
 */
export class Ring<T> {
  readonly #items: T[] = [];
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  get newest(): T | undefined {
    return this.#items.at(-1);
  }

  push(item: T): void {
    this.#items.push(item);
    if (this.#items.length > this.#size) this.#items.shift();
  }

  replaceNewest(item: T): void {
    this.#items[this.#items.length - 1] = item;
  }

  /** Oldest first. */
  last(count: number): readonly T[] {
    return this.#items.slice(-count);
  }
}
