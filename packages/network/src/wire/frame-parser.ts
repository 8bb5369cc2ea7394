/**
 * Cuts a stream into frames: `kind u8 | length varint | payload`. The kind comes first so that its limit is
 * known before the payload is; memory grows with the bytes that have arrived, never with those announced.
 */
import { concatBytes, Writer } from 'svc-wasm/base';
import { PeerFault } from './peer-fault.ts';

export interface Frame {
  readonly kind: number;
  readonly payload: Uint8Array;
}

/** The longest payload of each kind; other kinds are faults. */
export type FrameLimits = Readonly<Record<number, number>>;

const LENGTH_BYTES_MAX = 4;
const BUFFER_BYTES_MIN = 256;
/** How many times the arrived bytes the memory for a frame may be. */
const ARRIVED_FACTOR = 4;

const NOTHING: Uint8Array = new Uint8Array(0);

export class FrameParser {
  #limits: FrameLimits;
  #buffer = NOTHING;
  /** Whether the buffer was made here and has no other owner. */
  #isOwn = false;
  #start = 0;
  #end = 0;
  /** Bytes that arrived after the end of the current frame. */
  #rest = NOTHING;
  /** Kind and length of the frame under way. */
  #head: { readonly kind: number; readonly length: number } | undefined;

  constructor(limits: FrameLimits) {
    this.#limits = limits;
  }

  /** Whether a frame has begun and not ended. */
  get isPartial(): boolean {
    return this.#end > this.#start || this.#head !== undefined;
  }

  /** Replaces the allowed kinds from the next frame on. */
  useLimits(limits: FrameLimits): void {
    this.#limits = limits;
  }

  /** Adds bytes that came; they must not be changed afterwards. */
  push(bytes: Uint8Array): void {
    if (this.#end === this.#start) {
      this.#buffer = bytes;
      this.#isOwn = false;
      this.#start = 0;
      this.#end = bytes.length;
      return;
    }
    const missing = this.#head === undefined ? 0 : this.#start + this.#head.length - this.#end;
    if (missing > 0 && missing < bytes.length) {
      this.#append(bytes.subarray(0, missing));
      this.#rest = bytes.subarray(missing);
      return;
    }
    this.#append(this.#rest);
    this.#rest = NOTHING;
    this.#append(bytes);
  }

  #append(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#makeRoom(bytes.length);
    this.#buffer.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** The next whole frame; throws a `PeerFault` at the first byte that cannot be right. */
  next(): Frame | undefined {
    this.#head ??= this.#readHead();
    if (this.#head === undefined) return undefined;
    const { kind, length } = this.#head;
    if (this.#end - this.#start < length) return undefined;
    this.#head = undefined;
    const payload = this.#payload(length);
    this.#start += length;
    this.#release();
    return { kind, payload };
  }

  /** A view of an own buffer that the frame fills at least by half; else a copy, so that a small frame keeps no large buffer. */
  #payload(length: number): Uint8Array {
    const bytes = this.#buffer.subarray(this.#start, this.#start + length);
    return this.#isOwn && 2 * length >= this.#buffer.length ? bytes : new Uint8Array(bytes);
  }

  #readHead(): { kind: number; length: number } | undefined {
    if (this.#end === this.#start) return undefined;
    const kind = this.#buffer[this.#start] as number;
    const lengthMax = Object.hasOwn(this.#limits, kind) ? this.#limits[kind] : undefined;
    if (lengthMax === undefined) throw new PeerFault('malformed', `no frame has the kind ${kind}`);
    let length = 0;
    for (let count = 0; count < LENGTH_BYTES_MAX; count++) {
      const at = this.#start + 1 + count;
      if (at >= this.#end) return undefined;
      const byte = this.#buffer[at] as number;
      length += (byte & 0x7f) * 2 ** (7 * count);
      if (byte >= 0x80) continue;
      if (byte === 0 && count > 0) throw new PeerFault('malformed', 'the length is padded');
      if (length > lengthMax) {
        const found = `expected at most ${lengthMax} bytes of kind ${kind}, found ${length}`;
        throw new PeerFault('malformed', found);
      }
      this.#start = at + 1;
      return { kind, length };
    }
    throw new PeerFault('malformed', 'the length has more than four bytes');
  }

  #makeRoom(count: number): void {
    if (this.#end + count <= this.#buffer.length) return;
    const held = this.#end - this.#start;
    const grown = newBuffer(this.#roomFor(held + count));
    grown.set(this.#buffer.subarray(this.#start, this.#end));
    this.#buffer = grown;
    this.#isOwn = true;
    this.#start = 0;
    this.#end = held;
  }

  /** The size of the current frame once a quarter of it has arrived; else twice what has arrived. */
  #roomFor(arrived: number): number {
    const frame = this.#head?.length ?? 0;
    if (arrived <= frame && frame <= ARRIVED_FACTOR * arrived) return frame;
    return Math.max(BUFFER_BYTES_MIN, 2 * arrived);
  }

  /** An empty parser holds no buffer: most connections are silent most of the time. */
  #release(): void {
    if (this.#start < this.#end) return;
    this.#buffer = this.#rest;
    this.#isOwn = false;
    this.#start = 0;
    this.#end = this.#rest.length;
    this.#rest = NOTHING;
  }
}

/** Uncleared memory: every byte is written before it is read. */
function newBuffer(bytes: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer);
}

/** What comes before the payload of a frame. */
export function frameHead(kind: number, payloadBytes: number): Uint8Array {
  return new Writer(1 + LENGTH_BYTES_MAX).u8(kind).varint(payloadBytes).finish();
}

export function encodeFrame(kind: number, payload: Uint8Array): Uint8Array {
  return concatBytes(frameHead(kind, payload.length), payload);
}
