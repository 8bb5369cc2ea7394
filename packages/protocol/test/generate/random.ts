/**
 * Numbers and bytes that look random and follow from a seed alone (the generator sfc32). Not for
 * secrets.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: string) {
    let hash = 0x811c9dc5;
    for (let i = 0; i < seed.length; i++) {
      hash = Math.imul(hash ^ seed.charCodeAt(i), 0x01000193);
    }
    this.#a = hash >>> 0;
    this.#b = Math.imul(hash, 0x9e3779b1) >>> 0;
    this.#c = seed.length;
    for (let i = 0; i < 16; i++) this.u32();
  }

  u32(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    this.#c |= 0;
    return sum >>> 0;
  }

  u64(): bigint {
    return (BigInt(this.u32()) << 32n) | BigInt(this.u32());
  }

  /** From 0 up to, and without, `end`. */
  below(end: number): number {
    return Math.floor((this.u32() / 2 ** 32) * end);
  }

  /** From `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  bytes(length: number): Uint8Array {
    const words = new Uint32Array((length + 3) >> 2);
    for (let i = 0; i < words.length; i++) words[i] = this.u32();
    return new Uint8Array(words.buffer, 0, length);
  }

  list<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: this.between(least, most) }, make);
  }

  /** Atoms: mostly small, now and then at the limits. */
  amount(most: bigint = 1_000_000_000_000n): bigint {
    return this.chance(5) ? this.pick([1n, most]) : 1n + (this.u64() % most);
  }
}
