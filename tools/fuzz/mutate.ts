/**
 * Mutations of valid inputs. Most of them aim at the ends of an input, where counts, tags and
 * lengths are; a flip inside a signature teaches nothing.
 */
import type { Random } from '../../packages/protocol/test/generate/random.ts';

const ENDS_BYTES = 192;
const MUTATIONS_MAX = 6;
const GROWTH_BYTES_MAX = 4096;

const INTERESTING: readonly bigint[] = [
  ...[
    0n,
    1n,
    2n,
    3n,
    8n,
    9n,
    16n,
    17n,
    63n,
    64n,
    65n,
    96n,
    127n,
    128n,
    191n,
    192n,
    255n,
    256n,
    257n,
  ],
  ...[384n, 385n, 1024n, 1025n, 4096n, 4097n, 0x7fffn, 0x8000n, 0xffffn, 60_000n, 64_000n, 64_001n],
  ...[0x7fff_ffffn, 0x8000_0000n, 0xffff_ffffn, 1n << 53n, 1n << 63n, (1n << 64n) - 1n],
  ...[20_000_000_000_000_000n, 20_000_000_000_000_001n],
];

export class Mutator {
  readonly #random: Random;
  /** What may happen to an input; a mutation listed twice happens twice as often. */
  readonly #mutations: readonly (() => void)[];
  readonly #bytes: Uint8Array;
  #length = 0;
  #other: Uint8Array = new Uint8Array(0);

  constructor(random: Random, longestSeed: number) {
    const flip = () => this.#change((byte) => byte ^ (1 << random.below(8)));
    const write = () => this.#writeInteger(random.pick(INTERESTING), random.pick([1, 2, 4, 8]));
    this.#random = random;
    this.#bytes = new Uint8Array(2 * longestSeed + GROWTH_BYTES_MAX);
    this.#mutations = [
      flip,
      flip,
      () => this.#change(() => random.below(256)),
      () => this.#change((byte) => byte + (random.chance(50) ? 1 : 255)),
      write,
      write,
      () => this.#writeVarint(random.pick(INTERESTING)),
      () => this.#shorten(),
      () => this.#remove(this.#place(), random.between(1, 64)),
      () => this.#insert(this.#place(), this.#part(this.#bytes.subarray(0, this.#length))),
      () => this.#insert(this.#place(), this.#part(this.#other)),
    ];
  }

  /** A changed copy of `seed`; valid until the next call. `other` lends parts of itself. */
  mutate(seed: Uint8Array, other: Uint8Array): Uint8Array {
    this.#length = Math.min(seed.length, this.#bytes.length);
    this.#bytes.set(seed.subarray(0, this.#length));
    const count = this.#random.between(1, MUTATIONS_MAX);
    this.#other = other;
    for (let i = 0; i < count; i++) this.#random.pick(this.#mutations)();
    return this.#bytes.subarray(0, this.#length);
  }

  /** A place in the input, mostly near one of its ends. */
  #place(): number {
    const near = Math.min(this.#length, ENDS_BYTES);
    const kind = this.#random.below(8);
    if (kind < 4) return this.#random.below(near);
    if (kind < 6) return this.#length - this.#random.below(near);
    return this.#random.below(this.#length);
  }

  #part(source: Uint8Array): Uint8Array {
    const length = this.#random.between(1, this.#random.chance(80) ? 64 : 2048);
    const start = this.#random.below(Math.max(1, source.length - length));
    return source.slice(start, start + length);
  }

  #change(next: (byte: number) => number): void {
    if (this.#length === 0) return;
    const at = Math.min(this.#place(), this.#length - 1);
    this.#bytes[at] = next(this.#bytes[at] as number);
  }

  #writeInteger(value: bigint, width: number): void {
    const at = this.#place();
    for (let i = 0; i < width && at + i < this.#length; i++) {
      this.#bytes[at + i] = Number((value >> BigInt(8 * i)) & 0xffn);
    }
  }

  /** Overwrites with a varint, now and then padded. */
  #writeVarint(value: bigint): void {
    let at = this.#place();
    let rest = value & 0xffff_ffffn;
    const padding = this.#random.chance(20) ? 1 : 0;
    while (at < this.#length - 1 && (rest > 0x7fn || padding === 1)) {
      this.#bytes[at++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
      if (rest === 0n) break;
    }
    if (at < this.#length) this.#bytes[at] = Number(rest);
  }

  #shorten(): void {
    const few = Math.max(0, this.#length - this.#random.below(9));
    this.#length = this.#random.chance(50) ? this.#place() : few;
  }

  #remove(at: number, count: number): void {
    const end = Math.min(this.#length, at + count);
    this.#bytes.copyWithin(at, end, this.#length);
    this.#length -= end - at;
  }

  #insert(at: number, part: Uint8Array): void {
    const room = this.#bytes.length - this.#length;
    const taken = part.subarray(0, room);
    this.#bytes.copyWithin(at + taken.length, at, this.#length);
    this.#bytes.set(taken, at);
    this.#length += taken.length;
  }
}
