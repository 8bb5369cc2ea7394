/**
 * Names of things. Identifiers and addresses are lower-case hexadecimal strings of their bytes, so
 * that they serve as map keys and compare in byte order; two strings of one kind have equal length.
 */

/** 96 characters: a transaction, block, cut, position, validator or key hash. */
export type Identifier = string;

/** 98 characters: the 49 bytes of an address, type first. */
export type Address = string;

/** A transaction id and an output index, see `outpointKey`. */
export type OutpointKey = string;

export interface Outpoint {
  readonly transactionId: Identifier;
  readonly outputIndex: number;
  /** What `outpointKey` gives, where it is remembered. */
  readonly key?: OutpointKey;
}

/** The bytes of an identifier or address that is known to be one. */
export function bytesOf(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2);
  writeHex(hex, bytes, 0);
  return bytes;
}

/** In place of the value of a character that is no digit. */
const NO_DIGIT = 16;
const DIGITS = new Uint8Array(256).fill(NO_DIGIT);
for (let value = 0; value < NO_DIGIT; value++) {
  const digit = value.toString(16);
  DIGITS[digit.charCodeAt(0)] = value;
  DIGITS[digit.toUpperCase().charCodeAt(0)] = value;
}

/**
 * Writes the bytes of a text of digits. `setFromHex` takes twice as long for one identifier, and a view of the
 * memory besides. Throws if the text is something else; the memory is written all the same.
 */
export function writeHex(hex: string, memory: Uint8Array, at: number): void {
  let to = at;
  let met = hex.length % 2 === 0 ? 0 : NO_DIGIT;
  for (let from = 0; from < hex.length; from += 2) {
    const high = DIGITS[hex.charCodeAt(from)] ?? NO_DIGIT;
    const low = DIGITS[hex.charCodeAt(from + 1)] ?? NO_DIGIT;
    met |= high | low;
    memory[to++] = (high << 4) | low;
  }
  if (met >= NO_DIGIT || to > memory.length)
    throw new Error('the text is not the bytes that are expected');
}

const INDEX_DIGITS = 8;
/** Texts of the indexes that nearly all outputs have; making them is felt where thousands are named. */
const INDEX_TEXTS: readonly string[] = Array.from({ length: 16 }, (_, index) => indexText(index));

/** The key of an outpoint; keys order as (transaction id, index). */
export function outpointKey({ key, transactionId, outputIndex }: Outpoint): OutpointKey {
  return key ?? transactionId + (INDEX_TEXTS[outputIndex] ?? indexText(outputIndex));
}

function indexText(index: number): string {
  return index.toString(16).padStart(INDEX_DIGITS, '0');
}

export function outpointOf(key: OutpointKey): Outpoint {
  const at = key.length - INDEX_DIGITS;
  return { transactionId: key.slice(0, at), outputIndex: Number.parseInt(key.slice(at), 16) };
}

/** Orders strings by code unit, which for hexadecimal is byte order. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const TYPE_KEY = '00';
export const BURN_ADDRESS: Address = `02${'00'.repeat(48)}`;

/** The address of a single key. */
export function keyAddress(keyHash: Identifier): Address {
  return TYPE_KEY + keyHash;
}

/** The key of a registered block: blocks of one anchor lie together, by id. */
export function blockKey(anchorHeight: number, blockId: Identifier): string {
  return numberKey(anchorHeight) + blockId;
}

/** A key for records counted by height or epoch; keys order as the numbers do. */
export function numberKey(value: number): string {
  return value.toString(16).padStart(14, '0');
}
