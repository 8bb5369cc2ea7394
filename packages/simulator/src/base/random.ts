/**
 * The only source of chance in a simulation: sfc32, seeded by one number and a stream name, so that
 * what one part draws does not move what another part draws.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number, stream = 0) {
    this.#a = seed | 0;
    this.#b = Math.floor(seed / 0x1_0000_0000) | 0;
    this.#c = stream | 0;
    for (let warmUp = 0; warmUp < 12; warmUp++) this.u32();
  }

  u32(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + sum) | 0;
    return sum >>> 0;
  }

  /** From 0 up to but not including 1. */
  unit(): number {
    return this.u32() / 0x1_0000_0000;
  }

  /** An integer from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1));
  }

  between(low: number, high: number): number {
    return low + this.unit() * (high - low);
  }

  chance(probability: number): boolean {
    return probability > 0 && this.unit() < probability;
  }

  exponential(mean: number): number {
    return -Math.log(1 - this.unit()) * mean;
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.unit() * items.length)] as T;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const order = items.slice();
    for (let last = order.length - 1; last > 0; last--) {
      const other = this.integer(0, last);
      [order[last], order[other]] = [order[other] as T, order[last] as T];
    }
    return order;
  }
}
