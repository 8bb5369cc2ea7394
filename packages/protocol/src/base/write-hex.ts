/**
 * Lower-case hexadecimal straight into memory, for texts that are known to be identifiers or addresses.
 */

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
