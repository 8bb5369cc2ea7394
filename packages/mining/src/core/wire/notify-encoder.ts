/**
 * Encodes one job for many miners. What they get differs in the share target alone, so the message is made once, and
 * for each other target a copy with the target written over.
 */
import { TARGET_BYTES } from './limits.ts';
import { encodeMessage } from './message-stream.ts';
import type { Notify, Protocol } from './messages.ts';

const HEX_DIGITS = new TextEncoder().encode('0123456789abcdef');

export class NotifyEncoder {
  readonly #isText: boolean;
  readonly #message: Uint8Array;
  /** Where the share target is in the message. */
  readonly #offset: number;
  #target: Uint8Array = new Uint8Array(TARGET_BYTES);
  /** The message with the target that was asked for last. */
  #last: Uint8Array;

  constructor(job: Omit<Notify, 'shareTarget'>, protocol: Protocol) {
    const encode = (fill: number): Uint8Array =>
      encodeMessage({ ...job, shareTarget: new Uint8Array(TARGET_BYTES).fill(fill) }, protocol);
    const other = encode(0xff);
    this.#isText = protocol === 'svc-mining-v1';
    this.#message = encode(0);
    this.#offset = this.#message.findIndex((byte, place) => byte !== other[place]);
    this.#last = this.#message;
  }

  /** The bytes are shared by all sessions with the same target: they must not be changed. */
  encode(shareTarget: Uint8Array): Uint8Array {
    if (isSame(shareTarget, this.#target)) return this.#last;
    const bytes = this.#message.slice();
    if (this.#isText) writeHex(bytes, this.#offset, shareTarget);
    else bytes.set(shareTarget, this.#offset);
    this.#target = shareTarget;
    this.#last = bytes;
    return bytes;
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  if (one === other) return true;
  for (let place = 0; place < TARGET_BYTES; place++) if (one[place] !== other[place]) return false;
  return true;
}

function writeHex(bytes: Uint8Array, offset: number, value: Uint8Array): void {
  for (let place = 0; place < TARGET_BYTES; place++) {
    const byte = value[place] as number;
    bytes[offset + 2 * place] = HEX_DIGITS[byte >> 4] as number;
    bytes[offset + 2 * place + 1] = HEX_DIGITS[byte & 15] as number;
  }
}
