/**
 * Reads what `Packer` wrote. A record that ends too early, has bytes left or holds an unknown code is
 * damaged, since only the store writes here. Numbers are put together from their bytes: a `Buffer` over a short record
 * takes longer to make than all that is read from it.
 */
import { StoreDamagedError } from '../errors.ts';

const WORD = 0x1_0000_0000;
/** Below this high word a number of 64 bits is exact. */
const EXACT_HIGH = 2 ** 21;

export class Unpacker {
  readonly #bytes: Uint8Array;
  readonly #what: string;
  /** The same bytes, for hexadecimal text. */
  #buffer: Buffer | undefined;
  #at = 0;

  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = bytes;
    this.#what = what;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  damaged(found: string): never {
    throw new StoreDamagedError(`a record of ${this.#what} is damaged: ${found}; run a reindex`);
  }

  #advance(count: number): number {
    const at = this.#at;
    if (at + count > this.#bytes.length) this.damaged(`${this.#bytes.length} bytes are too few`);
    this.#at = at + count;
    return at;
  }

  #byte(at: number): number {
    return this.#bytes[at] as number;
  }

  #word(at: number): number {
    const low = this.#byte(at) | (this.#byte(at + 1) << 8) | (this.#byte(at + 2) << 16);
    return low + 0x100_0000 * this.#byte(at + 3);
  }

  /** The highest byte first. */
  #ordered(at: number, count: number): number {
    let value = 0;
    for (let place = at; place < at + count; place++) value = 0x100 * value + this.#byte(place);
    return value;
  }

  u8(): number {
    return this.#byte(this.#advance(1));
  }

  u16(): number {
    const at = this.#advance(2);
    return this.#byte(at) + 0x100 * this.#byte(at + 1);
  }

  u32(): number {
    return this.#word(this.#advance(4));
  }

  u64(): bigint {
    const at = this.#advance(8);
    const high = this.#word(at + 4);
    const low = this.#word(at);
    if (high < EXACT_HIGH) return BigInt(high * WORD + low);
    return (BigInt(high) << 32n) | BigInt(low);
  }

  number(): number {
    const at = this.#advance(8);
    return this.#word(at) + WORD * this.#word(at + 4);
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 35; scale *= 128) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    return this.damaged('a number is too long');
  }

  u32Ordered(): number {
    return this.#ordered(this.#advance(4), 4);
  }

  numberOrdered(): number {
    return this.#ordered(this.#advance(7), 7);
  }

  hex(bytes: number): string {
    const at = this.#advance(bytes);
    const { buffer, byteLength, byteOffset } = this.#bytes;
    this.#buffer ??= Buffer.from(buffer, byteOffset, byteLength);
    return this.#buffer.toString('hex', at, at + bytes);
  }

  raw(count: number): Uint8Array {
    const at = this.#advance(count);
    return new Uint8Array(this.#bytes.subarray(at, at + count));
  }

  counted(): Uint8Array {
    return this.raw(this.varint());
  }

  text(): string {
    return Buffer.from(this.counted()).toString();
  }

  flag(): boolean {
    const value = this.u8();
    if (value > 1) this.damaged(`flag ${value}`);
    return value === 1;
  }

  /** One of a list of names by its code. */
  name<T>(names: readonly T[]): T {
    const code = this.u8();
    const found = names[code];
    return found === undefined ? this.damaged(`code ${code}`) : found;
  }

  list<T>(read: () => T): T[] {
    return Array.from({ length: this.varint() }, read);
  }

  end(): void {
    if (this.left > 0) this.damaged(`${this.left} bytes are left over`);
  }
}
