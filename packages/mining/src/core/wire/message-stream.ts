/**
 * Cuts a stream of bytes into messages. A server detects by the first byte which form its client uses; a client names
 * the form. After the first error the stream is unusable: the start of the next message is not known.
 */
import { SvcError } from 'svc-wasm/base';
import { decodeFrame, encodeFrame, FRAME_BYTES_MAX, LENGTH_BYTES } from './binary-frame.ts';
import { decodeLine, encodeLine } from './json-line.ts';
import { MESSAGE_BYTES_MAX } from './limits.ts';
import type { Message, Protocol } from './messages.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const OPENING_BRACE = 0x7b;
const FIRST_BYTE_OF_FRAMES_MAX = FRAME_BYTES_MAX >> 8;

export function encodeMessage(message: Message, protocol: Protocol): Uint8Array {
  if (protocol === 'svc-mining-v2') return encodeFrame(message);
  return new TextEncoder().encode(`${encodeLine(message)}\n`);
}

export class MessageStream {
  #protocol: Protocol | undefined;
  #bytes: Uint8Array = new Uint8Array(0);

  /** Without a protocol, the first byte decides it. */
  constructor(protocol?: Protocol) {
    this.#protocol = protocol;
  }

  /** Undefined until the first byte. */
  get protocol(): Protocol | undefined {
    return this.#protocol;
  }

  /** Bytes of an unfinished message. */
  get pending(): number {
    return this.#bytes.length;
  }

  /**
   * Yields the messages that are whole with these bytes. Throws an `SvcError` at the first invalid one, after
   * those before it have been yielded.
   */
  *push(bytes: Uint8Array): Generator<Message> {
    this.#append(bytes);
    const [first] = this.#bytes;
    if (first === undefined) return;
    this.#protocol ??= protocolOf(first);
    const next = this.#protocol === 'svc-mining-v1' ? () => this.#line() : () => this.#frame();
    for (let message = next(); message !== undefined; message = next()) yield message;
  }

  #append(bytes: Uint8Array): void {
    const joined = new Uint8Array(this.#bytes.length + bytes.length);
    joined.set(this.#bytes);
    joined.set(bytes, this.#bytes.length);
    this.#bytes = joined;
  }

  #line(): Message | undefined {
    const end = this.#bytes.indexOf(LINE_FEED);
    const length = end < 0 ? this.#bytes.length : end;
    if (length > MESSAGE_BYTES_MAX)
      throw new SvcError('bad_length', `a line is longer than ${MESSAGE_BYTES_MAX} bytes`);
    if (end < 0) return undefined;
    const isWindows = end > 0 && this.#bytes[end - 1] === CARRIAGE_RETURN;
    const line = this.#bytes.subarray(0, isWindows ? end - 1 : end);
    this.#bytes = this.#bytes.subarray(end + 1);
    return decodeLine(line);
  }

  #frame(): Message | undefined {
    if (this.#bytes.length < LENGTH_BYTES) return undefined;
    const [high, low] = this.#bytes as unknown as [number, number];
    const end = LENGTH_BYTES + high * 256 + low;
    if (end > FRAME_BYTES_MAX)
      throw new SvcError('bad_length', `a frame is longer than ${FRAME_BYTES_MAX} bytes`);
    if (this.#bytes.length < end) return undefined;
    const content = this.#bytes.slice(LENGTH_BYTES, end);
    this.#bytes = this.#bytes.subarray(end);
    return decodeFrame(content);
  }
}

function protocolOf(first: number): Protocol {
  if (first === OPENING_BRACE) return 'svc-mining-v1';
  if (first <= FIRST_BYTE_OF_FRAMES_MAX) return 'svc-mining-v2';
  throw new SvcError('bad_text', "expected a line that begins with '{', or a frame");
}
