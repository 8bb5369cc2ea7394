/**
 * Looks at every character of a long text, four at a time: a transaction in hexadecimal has eleven thousand, and a regular
 * expression takes ten times as long for them.
 */

/** How many characters are looked at in one piece; a character takes three bytes at most. */
const PIECE_CHARACTERS = 4_096;
const piece = new Uint8Array(3 * PIECE_CHARACTERS);
const words = new Int32Array(piece.buffer);
const encoder = new TextEncoder();

/** Whether all characters are digits of lower-case hexadecimal. */
export function isHexText(text: string): boolean {
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    const characters = pieceOf(text, at);
    const { written } = encoder.encodeInto(characters, piece);
    // A character beyond ASCII takes more than one byte.
    if (written !== characters.length || !areDigits(written)) return false;
  }
  return true;
}

/** Whether one of the characters is below the space. */
export function hasControlCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    const { written } = encoder.encodeInto(pieceOf(text, at), piece);
    if (hasByteBelowSpace(written)) return true;
  }
  return false;
}

function pieceOf(text: string, at: number): string {
  return text.length <= PIECE_CHARACTERS ? text : text.slice(at, at + PIECE_CHARACTERS);
}

/** Makes the last word whole, with characters that change no answer; returns how many words there are. */
function completeWords(bytes: number): number {
  piece.fill(ZERO_DIGIT, bytes, (bytes + 3) & ~3);
  return (bytes + 3) >> 2;
}

const ZERO_DIGIT = 0x30;

function areDigits(bytes: number): boolean {
  const count = completeWords(bytes);
  let wrong = 0;
  for (let at = 0; at < count; at++) {
    const word = words[at] as number;
    const values = ((word & 0x0f0f0f0f) + Math.imul((word >>> 6) & 0x01010101, 9)) | 0;
    const letters = ((values + 0x06060606) >>> 4) & 0x01010101;
    // Each byte holds the value of a digit, and written as a digit again is what it was.
    wrong |= (values & 0x10101010) | (word ^ (values + 0x30303030 + Math.imul(letters, 0x27)));
  }
  return wrong === 0;
}

function hasByteBelowSpace(bytes: number): boolean {
  const count = completeWords(bytes);
  let found = 0;
  for (let at = 0; at < count; at++) {
    const word = words[at] as number;
    // The highest bit of a byte comes from the subtraction alone only if the byte was smaller, or one after it was.
    found |= (word - 0x20202020) & ~word & 0x80808080;
  }
  return found !== 0;
}
