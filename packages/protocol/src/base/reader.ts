/**
 * Reads canonical bytes: the counterpart of `Writer`. Every read is checked against the end, a
 * padded varint is refused, and `end()` refuses what is left over; bad bytes are an `SvcError`.
 */
import { SvcError } from './svc-error.ts';

const VARINT_BYTES_MAX = 5;

export class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #path: string;
  #at = 0;

  constructor(bytes: Uint8Array, path = '') {
    // A plain view: `slice` of a subclass such as Node's Buffer would share memory, not copy.
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#path = path;
  }

  /** How many bytes have been read. */
  get offset(): number {
    return this.#at;
  }

  #advance(count: number): number {
    const at = this.#at;
    const left = this.#bytes.length - at;
    if (count > left) {
      throw new SvcError('truncated', `expected ${count} bytes at offset ${at}, found ${left}`, {
        path: this.#path,
      });
    }
    this.#at = at + count;
    return at;
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#advance(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  i32(): number {
    return this.#view.getInt32(this.#advance(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#advance(8), true);
  }

  varint(): number {
    const start = this.#at;
    let value = 0;
    for (let count = 0; count < VARINT_BYTES_MAX; count++) {
      const byte = this.u8();
      value += (byte & 0x7f) * 2 ** (7 * count);
      if (byte >= 0x80) continue;
      if ((byte === 0 && count > 0) || value > 0xffff_ffff) break;
      return value;
    }
    throw new SvcError('not_canonical', `the varint at offset ${start} is padded or too large`, {
      path: this.#path,
    });
  }

  /** A copy of the next bytes. */
  raw(count: number): Uint8Array {
    const at = this.#advance(count);
    return this.#bytes.slice(at, at + count);
  }

  /** Bytes preceded by their length. */
  counted(lengthMax: number): Uint8Array {
    const start = this.#at;
    const length = this.varint();
    if (length > lengthMax) {
      throw new SvcError(
        'bad_length',
        `expected at most ${lengthMax} bytes at offset ${start}, found ${length}`,
        { path: this.#path },
      );
    }
    return this.raw(length);
  }

  end(): void {
    const left = this.#bytes.length - this.#at;
    if (left === 0) return;
    throw new SvcError('trailing_bytes', `${left} bytes follow the last field`, {
      path: this.#path,
    });
  }
}
