/**
 * Lower-case hexadecimal straight into memory, for texts that are known to be identifiers or addresses.
 */

/** What no two digits stand for. */
const NO_BYTE = 256;
const PART_CHARACTERS = 4_096;
/** No character of UTF-8 has more. Room for one at the end of a part, so that its first byte is found there and refused. */
const CHARACTER_BYTES_MAX = 4;

/** The characters of a part of a text, and each two of them as one number. */
const characters = new Uint8Array(PART_CHARACTERS + CHARACTER_BYTES_MAX);
const pairs = new Uint16Array(characters.buffer);
const encoder = new TextEncoder();
/** The byte that two characters stand for, by their number in `pairs`. */
const BYTES = bytesOfPairs();

function bytesOfPairs(): Uint16Array {
  const bytes = new Uint16Array(2 ** 16).fill(NO_BYTE);
  const setPair = (text: string, value: number): void => {
    encoder.encodeInto(text, characters);
    bytes[pairs[0] as number] = value;
  };
  for (let value = 0; value < NO_BYTE; value++) {
    const text = value.toString(16).padStart(2, '0');
    const [high = '', low = ''] = text;
    for (const each of [high, high.toUpperCase()])
      for (const other of [low, low.toUpperCase()]) setPair(each + other, value);
  }
  return bytes;
}

/**
 * Writes the bytes of a text of digits. `setFromHex` takes four times as long for one identifier, and a view of the
 * memory besides. Throws if the text is something else; the memory is written all the same.
 */
export function writeHex(hex: string, memory: Uint8Array, at: number): void {
  let to = at;
  let met = hex.length % 2 === 0 ? 0 : NO_BYTE;
  for (let from = 0; from < hex.length; from += PART_CHARACTERS) {
    const part = hex.length <= PART_CHARACTERS ? hex : hex.slice(from, from + PART_CHARACTERS);
    encoder.encodeInto(part, characters);
    const count = part.length >> 1;
    for (let index = 0; index < count; index++) {
      const byte = BYTES[pairs[index] as number] as number;
      met |= byte;
      memory[to++] = byte;
    }
  }
  if (met >= NO_BYTE || to > memory.length)
    throw new Error('the text is not the bytes that are expected');
}
