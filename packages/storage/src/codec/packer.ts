/**
 * Writes keys and values of the store into chunks of memory that grow: a cut makes a hundred thousand of
 * them with one packer, and a reader makes a packer for one key. Integers within values are little-endian as everywhere, within keys big-endian so that they
 * order. What is packed comes from our own records, so ranges are not checked again.
 */
/** Enough for any key, so that a packer of one key takes no more memory than the key needs. */
const FIRST_CHUNK_BYTES = 64;
const CHUNK_BYTES_MAX = 1 << 20;
/** How many times the chunk before it a chunk has. */
const GROWTH = 4;
const HEIGHT_BYTES = 7;

export class Packer {
  #chunk: Buffer = Buffer.alloc(0);
  #memory: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(new ArrayBuffer(0));
  #start = 0;
  #at = 0;

  /** Makes room for more bytes: a record that was begun moves to a new chunk if the old one is full. */
  #reserve(bytes: number): number {
    const at = this.#at;
    if (at + bytes <= this.#chunk.length) {
      this.#at = at + bytes;
      return at;
    }
    const begun = at - this.#start;
    const chunk = Buffer.allocUnsafeSlow(Math.max(this.#nextChunkBytes, 2 * (begun + bytes)));
    this.#chunk.copy(chunk, 0, this.#start, at);
    this.#chunk = chunk;
    this.#memory = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#start = 0;
    this.#at = begun + bytes;
    return begun;
  }

  get #nextChunkBytes(): number {
    const grown = Math.max(FIRST_CHUNK_BYTES, GROWTH * this.#chunk.length);
    return Math.min(CHUNK_BYTES_MAX, grown);
  }

  /** The chunk with the record that was begun; another one if more is packed than it has room for. */
  get memory(): Uint8Array {
    return this.#memory;
  }

  /** Where the record that was begun starts in its chunk. */
  get start(): number {
    return this.#start;
  }

  /** How many bytes of it are packed. */
  get begun(): number {
    return this.#at - this.#start;
  }

  /** Begins the next record without a view of this one. */
  next(): void {
    this.#start = this.#at;
  }

  u8(value: number): this {
    const at = this.#reserve(1);
    this.#chunk[at] = value;
    return this;
  }

  u16(value: number): this {
    const at = this.#reserve(2);
    this.#view.setUint16(at, value, true);
    return this;
  }

  u32(value: number): this {
    const at = this.#reserve(4);
    this.#view.setUint32(at, value, true);
    return this;
  }

  u64(value: bigint): this {
    const at = this.#reserve(8);
    this.#view.setBigUint64(at, value, true);
    return this;
  }

  /** A height, epoch or time in a value. */
  number(value: number): this {
    const at = this.#reserve(8);
    this.#view.setUint32(at, value >>> 0, true);
    this.#view.setUint32(at + 4, Math.floor(value / 0x1_0000_0000), true);
    return this;
  }

  varint(value: number): this {
    let rest = value;
    while (rest > 0x7f) {
      this.u8((rest & 0x7f) | 0x80);
      rest = Math.floor(rest / 128);
    }
    return this.u8(rest);
  }

  /** An index in a key. */
  u32Ordered(value: number): this {
    const at = this.#reserve(4);
    this.#view.setUint32(at, value, false);
    return this;
  }

  /** A height or epoch in a key. */
  numberOrdered(value: number): this {
    const at = this.#reserve(HEIGHT_BYTES);
    this.#view.setUint32(at + 3, value >>> 0, false);
    const high = Math.floor(value / 0x1_0000_0000);
    this.#chunk[at] = high >> 16;
    this.#chunk[at + 1] = high >> 8;
    this.#chunk[at + 2] = high;
    return this;
  }

  hex(text: string): this {
    const bytes = text.length >> 1;
    const at = this.#reserve(bytes);
    this.#chunk.write(text, at, bytes, 'hex');
    return this;
  }

  raw(bytes: Uint8Array): this {
    const at = this.#reserve(bytes.length);
    this.#chunk.set(bytes, at);
    return this;
  }

  /** Bytes of the record that another packer has begun. */
  part(packer: Packer, from: number, to: number): this {
    const at = this.#reserve(to - from);
    packer.#chunk.copy(this.#chunk, at, packer.#start + from, packer.#start + to);
    return this;
  }

  /** Text or bytes preceded by their length. */
  text(value: string): this {
    return value === '' ? this.varint(0) : this.counted(Buffer.from(value));
  }

  counted(bytes: Uint8Array): this {
    return this.varint(bytes.length).raw(bytes);
  }

  flag(value: boolean): this {
    return this.u8(value ? 1 : 0);
  }

  /** Ends a key or value and begins the next. */
  finish(): Uint8Array {
    const { buffer, byteOffset } = this.#chunk;
    const packed = new Uint8Array(buffer, byteOffset + this.#start, this.#at - this.#start);
    this.#start = this.#at;
    return packed;
  }
}
