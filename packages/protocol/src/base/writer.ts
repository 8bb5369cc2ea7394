/**
 * Writes canonical bytes: fixed-width little-endian integers, minimal varints, raw bytes.
 * Range errors here are bugs of the caller: input is checked where it enters.
 */
export class Writer {
  #bytes: Uint8Array;
  #view: DataView;
  #length = 0;

  constructor(capacity = 512) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  #reserve(count: number): number {
    const at = this.#length;
    const needed = at + count;
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, at));
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    this.#length = needed;
    return at;
  }

  u8(value: number): this {
    const at = this.#reserve(1);
    this.#view.setUint8(at, check(value, 0xff));
    return this;
  }

  u16(value: number): this {
    const at = this.#reserve(2);
    this.#view.setUint16(at, check(value, 0xffff), true);
    return this;
  }

  u32(value: number): this {
    const at = this.#reserve(4);
    this.#view.setUint32(at, check(value, 0xffffffff), true);
    return this;
  }

  i32(value: number): this {
    if (!Number.isInteger(value) || value < -0x80000000 || value > 0x7fffffff)
      throw new RangeError('i32');
    const at = this.#reserve(4);
    this.#view.setInt32(at, value, true);
    return this;
  }

  u64(value: bigint): this {
    if (value < 0n || value > 0xffffffffffffffffn) throw new RangeError('u64');
    const at = this.#reserve(8);
    this.#view.setBigUint64(at, value, true);
    return this;
  }

  varint(value: number): this {
    let rest = check(value, 0xffffffff);
    while (rest > 0x7f) {
      this.u8((rest & 0x7f) | 0x80);
      rest = Math.floor(rest / 128);
    }
    return this.u8(rest);
  }

  raw(bytes: Uint8Array): this {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
    return this;
  }

  /** Bytes preceded by their length. */
  counted(bytes: Uint8Array): this {
    return this.varint(bytes.length).raw(bytes);
  }

  /** Full memory is handed out itself: later writes go to other memory. */
  finish(): Uint8Array {
    return this.#length === this.#bytes.length ? this.#bytes : this.#bytes.slice(0, this.#length);
  }
}

function check(value: number, most: number): number {
  if (!Number.isInteger(value) || value < 0 || value > most)
    throw new RangeError(`${value} is not in 0..${most}`);
  return value;
}
