/**
 * Reads the heads of the muxer's frames as bytes come, to see what a connection carries before the muxer handles it.
 * Only heads are read: data is skipped.
 */

export interface FrameHead {
  readonly type: number;
  readonly flags: number;
  /** Length of the data where the type is data; otherwise its meaning depends on the type. */
  readonly length: number;
}

export const FRAME_TYPES = { data: 0, windowUpdate: 1, ping: 2 } as const;
/** Set by the side that opens a stream. */
export const OPENS = 1;

const HEAD_BYTES = 12;
/** Pieces in which a frame may come: the muxer keeps them one by one, and frees many of them slowly. */
const PIECES_MAX = 2_048;

export class MuxerFrames {
  readonly #head = new DataView(new ArrayBuffer(HEAD_BYTES));
  /** How much of the head has come. */
  #headBytes = 0;
  /** How much data of the frame is still to come. */
  #dataBytes = 0;
  #pieces = 0;

  /** Returns each head that ends in these bytes. Throws where a frame comes in too many pieces. */
  read(bytes: Uint8Array, onHead: (head: FrameHead) => void): void {
    this.#pieces++;
    let at = 0;
    while (at < bytes.length) {
      const data = Math.min(this.#dataBytes, bytes.length - at);
      this.#dataBytes -= data;
      at += data;
      if (this.#dataBytes > 0) break;
      this.#pieces = data > 0 || this.#headBytes === 0 ? 1 : this.#pieces;
      while (this.#headBytes < HEAD_BYTES && at < bytes.length)
        this.#head.setUint8(this.#headBytes++, bytes[at++] as number);
      if (this.#headBytes === HEAD_BYTES) this.#endHead(onHead);
    }
    if (this.#pieces > PIECES_MAX) throw new Error('a frame in too many pieces');
  }

  #endHead(onHead: (head: FrameHead) => void): void {
    const head = {
      type: this.#head.getUint8(1),
      flags: this.#head.getUint16(2),
      length: this.#head.getUint32(8),
    };
    this.#headBytes = 0;
    if (head.type === FRAME_TYPES.data) this.#dataBytes = head.length;
    onHead(head);
  }
}
