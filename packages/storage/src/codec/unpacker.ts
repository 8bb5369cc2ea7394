/**
 * Reads what `Packer` wrote. A record that ends too early, has bytes left or holds an unknown code is
 * damaged, since nobody but the store writes here.
 */
import { StoreDamagedError } from '../errors.ts';

export class Unpacker {
  readonly #bytes: Buffer;
  readonly #what: string;
  #at = 0;

  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
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

  u8(): number {
    return this.#bytes[this.#advance(1)] as number;
  }

  u16(): number {
    return this.#bytes.readUInt16LE(this.#advance(2));
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.#advance(4));
  }

  u64(): bigint {
    return this.#bytes.readBigUInt64LE(this.#advance(8));
  }

  number(): number {
    const at = this.#advance(8);
    return this.#bytes.readUInt32LE(at) + 0x1_0000_0000 * this.#bytes.readUInt32LE(at + 4);
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
    return this.#bytes.readUInt32BE(this.#advance(4));
  }

  numberOrdered(): number {
    const at = this.#advance(7);
    return this.#bytes.readUIntBE(at, 3) * 0x1_0000_0000 + this.#bytes.readUInt32BE(at + 3);
  }

  hex(bytes: number): string {
    const at = this.#advance(bytes);
    return this.#bytes.toString('hex', at, at + bytes);
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
