/**
 * Frames in a stream of bytes: each is preceded by its length as u32. Holds at most one unfinished frame.
 */
import { SvcError, Writer } from 'svc-wasm/base';
import { FRAME_BYTES_MAX } from './frames.ts';

const LENGTH_BYTES = 4;

export function framed(bytes: Uint8Array): Uint8Array {
  return new Writer(LENGTH_BYTES + bytes.length).u32(bytes.length).raw(bytes).finish();
}

export class FrameSplitter {
  #held: Uint8Array = new Uint8Array(0);

  /** The frames that are whole now. Throws an `SvcError` as soon as a longer frame than any is announced. */
  split(chunk: Uint8Array): readonly Uint8Array[] {
    const bytes = new Uint8Array(this.#held.length + chunk.length);
    bytes.set(this.#held);
    bytes.set(chunk, this.#held.length);
    const view = new DataView(bytes.buffer);
    const frames: Uint8Array[] = [];
    let at = 0;
    while (bytes.length - at >= LENGTH_BYTES) {
      const length = view.getUint32(at, true);
      if (length === 0 || length > FRAME_BYTES_MAX)
        throw new SvcError('bad_length', `a frame of ${length} bytes is announced`, {
          path: 'frame',
        });
      const end = at + LENGTH_BYTES + length;
      if (end > bytes.length) break;
      frames.push(bytes.slice(at + LENGTH_BYTES, end));
      at = end;
    }
    this.#held = bytes.slice(at);
    return frames;
  }
}
