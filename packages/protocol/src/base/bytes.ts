/**
 * Byte strings: strict hexadecimal, comparison, joining, wiping.
 * `Buffer.from(text, 'hex')` cuts bad text short in silence, so it is never used here.
 */
import { kindOf } from './kind-of.ts';
import { SvcError } from './svc-error.ts';

const HEX_DIGITS = '0123456789abcdef';

const HEX_PAIRS: readonly string[] = Array.from(
  { length: 256 },
  (_, byte) => HEX_DIGITS.charAt(byte >> 4) + HEX_DIGITS.charAt(byte & 15),
);

/** The engine's own conversions, where it has them. */
const nativeToHex = (Uint8Array.prototype as { toHex?: (this: Uint8Array) => string }).toHex;
const nativeFromHex = (Uint8Array as { fromHex?: (text: string) => Uint8Array }).fromHex;
/** What Node writes hexadecimal with; it takes less than half as long as its engine's conversion for a whole transaction. */
interface NodeBuffers {
  from(memory: ArrayBufferLike, start: number, length: number): { toString(as: 'hex'): string };
}
const nodeBuffers = (globalThis as { Buffer?: NodeBuffers }).Buffer;
/** The engine's conversion is faster for fewer bytes. */
const LONG_BYTES = 512;
/** Browsers decode with vector instructions; the engine of Node 26 takes three times as long as the code here. */
const IS_NATIVE_FASTER = nativeFromHex !== undefined && !('process' in globalThis);
/** Shorter texts are decoded before a call of the engine's conversion would have begun. */
const LONG_DIGITS = 1_024;
const NO_HEX_DIGIT = /[^0-9a-f]/;
const CAPITAL_DIGIT = /[A-F]/;
/** How many digits are read in one piece; a multiple of four that fits into the fastest cache. */
const PIECE_DIGITS = 8_192;
const encoder = new TextEncoder();
const piece = new Uint8Array(PIECE_DIGITS);
const pieceView = new DataView(piece.buffer);

export function toHex(bytes: Uint8Array): string {
  const checked = expectBytes(bytes, 'bytes');
  if (nodeBuffers !== undefined && checked.length >= LONG_BYTES) {
    const { buffer, byteOffset, length } = checked;
    return nodeBuffers.from(buffer, byteOffset, length).toString('hex');
  }
  if (nativeToHex !== undefined) return nativeToHex.call(checked);
  let text = '';
  for (const byte of checked) text += HEX_PAIRS[byte];
  return text;
}

/** Decodes lower-case hexadecimal. `length`, in bytes, is exact when given. */
export function fromHex(text: string, path = '', length?: number): Uint8Array {
  if (typeof text !== 'string') {
    throw new SvcError('bad_type', `expected a hexadecimal string, found ${kindOf(text)}`, {
      path,
    });
  }
  if (length !== undefined && text.length !== 2 * length) {
    const found = `${text.length} characters`;
    throw new SvcError('bad_hex', `expected ${2 * length} hexadecimal characters, found ${found}`, {
      path,
    });
  }
  if (text.length % 2 !== 0) {
    throw new SvcError('bad_hex', 'expected an even number of hexadecimal characters', { path });
  }
  const isNative = IS_NATIVE_FASTER && text.length >= LONG_DIGITS;
  const bytes = isNative ? decodeNatively(text) : decodeDigits(text);
  if (bytes !== undefined) return bytes;
  const at = text.search(NO_HEX_DIGIT);
  throw new SvcError('bad_hex', `character ${at} is not a lower-case hexadecimal digit`, { path });
}

/** As `decodeDigits`, by the engine, which accepts capital letters too. */
export function decodeNatively(text: string): Uint8Array | undefined {
  if (CAPITAL_DIGIT.test(text)) return undefined;
  try {
    return nativeFromHex?.(text);
  } catch {
    return undefined;
  }
}

/** Decodes an even number of characters; undefined if not all of them are digits. */
function decodeDigits(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < text.length; at += PIECE_DIGITS) {
    const digits = text.length <= PIECE_DIGITS ? text : text.slice(at, at + PIECE_DIGITS);
    // A character beyond ASCII takes more than one byte, so that the counts written and read differ.
    if (encoder.encodeInto(digits, piece).written !== digits.length) return undefined;
    if (!decodePiece(digits.length, bytes, at / 2)) return undefined;
  }
  return bytes;
}

/** Decodes that many digits of the piece, four at a time; returns whether all of them were digits. */
function decodePiece(digits: number, target: Uint8Array, start: number): boolean {
  const words = digits & ~3;
  let wrong = 0;
  let to = start;
  for (let at = 0; at < words; at += 4, to += 2) {
    const word = pieceView.getInt32(at);
    const values = valuesOf(word);
    wrong |= faultOf(word, values);
    target[to] = ((values >>> 20) & 0xf0) | ((values >>> 16) & 0x0f);
    target[to + 1] = ((values >>> 4) & 0xf0) | (values & 0x0f);
  }
  if (words === digits) return wrong === 0;
  const word = (pieceView.getUint16(words) << 16) | ZEROS;
  const values = valuesOf(word);
  target[to] = ((values >>> 20) & 0xf0) | ((values >>> 16) & 0x0f);
  return (wrong | faultOf(word, values)) === 0;
}

/** Two digits that complete a word. */
const ZEROS = 0x3030;

/** The values of four digits, one in each byte of the word; of other characters, something below 32. */
function valuesOf(word: number): number {
  return ((word & 0x0f0f0f0f) + Math.imul((word >>> 6) & 0x01010101, 9)) | 0;
}

/** Zero if a word has four digits: if its values are below 16, and written again are the word. */
function faultOf(word: number, values: number): number {
  const letters = ((values + 0x06060606) >>> 4) & 0x01010101;
  const digits = (values + 0x30303030 + Math.imul(letters, 0x27)) | 0;
  return (values & 0x10101010) | (word ^ digits);
}

const typedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype) as object;

/** The built-in getter of typed arrays, which no subclass or proxy can replace. */
function intrinsic<T>(name: keyof Uint8Array): (of: unknown) => T {
  const getter = Object.getOwnPropertyDescriptor(typedArrayPrototype, name)?.get;
  return (of) => Reflect.apply(getter as () => T, of, []);
}

/** The name of a typed array's type; undefined for everything else. */
const typeNameOf = intrinsic<string | undefined>(Symbol.toStringTag);
const lengthOf = intrinsic<number>('length');
const bufferOf = intrinsic<ArrayBuffer>('buffer');
const offsetOf = intrinsic<number>('byteOffset');

/**
 * A plain `Uint8Array` over the same bytes, since the `slice` of Node's `Buffer` shares memory. Returns undefined if
 * the memory was detached.
 */
function plainView(bytes: Uint8Array): Uint8Array | undefined {
  const length = lengthOf(bytes);
  if (length === 0) return bufferOf(bytes).detached ? undefined : new Uint8Array(0);
  if (Object.getPrototypeOf(bytes) === Uint8Array.prototype) return bytes;
  return new Uint8Array(bufferOf(bytes), offsetOf(bytes), length);
}

/** Refuses everything but a `Uint8Array` of the given length, and returns it as a plain one. */
export function expectBytes(value: unknown, path: string, length?: number): Uint8Array {
  if (typeNameOf(value) !== 'Uint8Array') {
    throw new SvcError('bad_type', `expected a Uint8Array, found ${kindOf(value)}`, { path });
  }
  const bytes = plainView(value as Uint8Array);
  if (bytes === undefined) {
    throw new SvcError('bad_type', 'the buffer of the bytes was transferred away', { path });
  }
  if (length !== undefined && bytes.length !== length) {
    throw new SvcError('bad_length', `expected ${length} bytes, found ${bytes.length}`, { path });
  }
  return bytes;
}

/** A copy as a plain `Uint8Array`; `slice` of a subclass such as Node's `Buffer` shares memory. */
export function copyBytes(bytes: Uint8Array, at: number, length: number): Uint8Array {
  return new Uint8Array(bytes.subarray(at, at + length));
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Orders byte strings as unsigned big-endian numbers of the same length. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] as number) ^ (b[i] as number);
  return difference === 0;
}

export function wipe(...secrets: readonly Uint8Array[]): void {
  for (const secret of secrets) secret.fill(0);
}
