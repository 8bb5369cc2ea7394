/**
 * Bech32m as BIP 350 defines it: symbols of five bits as text, after a prefix and before a checksum of six symbols. It
 * gives the symbols no meaning. Every payment reads and writes several addresses, so nothing is allocated here but the
 * result.
 */
const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const SEPARATOR = '1';
const CHECKSUM_SYMBOLS = 6;
const CHECKSUM_CONSTANT = 0x2bc8_30a3;
const GENERATORS = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3];
/** Characters that a prefix may have. */
const PRINTABLE_FIRST = 33;
const PRINTABLE_LAST = 126;
const NO_SYMBOL = 255;

/** What the five bits that leave a checksum do to the rest of it. */
const FEEDBACK: Int32Array = Int32Array.from({ length: 32 }, (_, bits) =>
  GENERATORS.reduce((sum, generator, at) => ((bits >> at) & 1 ? sum ^ generator : sum), 0),
);

/** The character of each symbol, and the symbol of each character of ASCII. */
const CHARACTERS: Uint8Array = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0));
const SYMBOLS: Uint8Array = new Uint8Array(128).fill(NO_SYMBOL);
for (const [symbol, character] of CHARACTERS.entries()) SYMBOLS[character] = symbol;

export interface Bech32m {
  /** In lower case. */
  readonly prefix: string;
  /** Without the checksum. */
  readonly symbols: Uint8Array;
}

/** The text of symbols below 32 after a prefix of printable characters in lower case. */
export function encodeBech32m(prefix: string, symbols: Uint8Array): string {
  const characters = new Uint8Array(symbols.length + CHECKSUM_SYMBOLS);
  let sum = prefixSum(prefix);
  for (let at = 0; at < symbols.length; at++) {
    const symbol = symbols[at] as number;
    sum = absorb(sum, symbol);
    characters[at] = CHARACTERS[symbol] as number;
  }
  for (let at = 0; at < CHECKSUM_SYMBOLS; at++) sum = absorb(sum, 0);
  sum ^= CHECKSUM_CONSTANT;
  for (let at = 0; at < CHECKSUM_SYMBOLS; at++) {
    const symbol = (sum >> (5 * (CHECKSUM_SYMBOLS - 1 - at))) & 31;
    characters[symbols.length + at] = CHARACTERS[symbol] as number;
  }
  // A spread would read the array one character at a time.
  return prefix + SEPARATOR + textOf(characters);
}

/** Reads a text in lower case; undefined if it is no bech32m, whatever is wrong with it. */
export function decodeBech32m(text: string): Bech32m | undefined {
  const separator = text.lastIndexOf(SEPARATOR);
  const length = text.length - separator - 1 - CHECKSUM_SYMBOLS;
  if (separator < 1 || length < 0) return undefined;
  const prefix = text.slice(0, separator);
  if (!isPrintable(prefix)) return undefined;
  const symbols = new Uint8Array(length);
  let sum = prefixSum(prefix);
  for (let at = 0; at < length + CHECKSUM_SYMBOLS; at++) {
    const symbol = SYMBOLS[text.charCodeAt(separator + 1 + at)] ?? NO_SYMBOL;
    if (symbol === NO_SYMBOL) return undefined;
    sum = absorb(sum, symbol);
    if (at < length) symbols[at] = symbol;
  }
  return sum === CHECKSUM_CONSTANT ? { prefix, symbols } : undefined;
}

function textOf(characters: Uint8Array): string {
  return Reflect.apply(String.fromCharCode, null, characters);
}

function isPrintable(prefix: string): boolean {
  for (let at = 0; at < prefix.length; at++) {
    const code = prefix.charCodeAt(at);
    if (code < PRINTABLE_FIRST || code > PRINTABLE_LAST) return false;
  }
  return true;
}

/** The checksum of the upper bits of a prefix, a zero and its lower bits. */
function prefixSum(prefix: string): number {
  let sum = 1;
  for (let at = 0; at < prefix.length; at++) sum = absorb(sum, prefix.charCodeAt(at) >> 5);
  sum = absorb(sum, 0);
  for (let at = 0; at < prefix.length; at++) sum = absorb(sum, prefix.charCodeAt(at) & 31);
  return sum;
}

/** The checksum, of 30 bits, with one symbol more. */
function absorb(sum: number, symbol: number): number {
  return ((sum & 0x1ff_ffff) << 5) ^ symbol ^ (FEEDBACK[sum >>> 25] as number);
}
