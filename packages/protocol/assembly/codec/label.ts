/**
 * `H(label, data)` of `docs/protocol.md` 1: SHA-384 over an ASCII label followed by the data.
 * Labels are given as string literals, which are in static memory and cost no allocation.
 */
import { sha384Begin, sha384End, sha384Update } from '../hash/sha384';

const TEXT_BYTES_MAX: i32 = 64;
const TEXT: usize = memory.data(64, 16);

/** Writes the ASCII bytes of a literal where `asciiPointer` says, until the next call. */
export function ascii(text: string): i32 {
  const length = min(text.length, TEXT_BYTES_MAX);
  const source = changetype<usize>(text);
  for (let i = 0; i < length; i++) store<u8>(TEXT + i, load<u8>(source + (<usize>i << 1)));
  return length;
}

export function asciiPointer(): usize {
  return TEXT;
}

/** Starts `H(label, …)`; data follows with `sha384Update`, the end is `sha384End`. */
export function hashBegin(label: string): void {
  const length = ascii(label);
  sha384Begin();
  sha384Update(TEXT, length);
}

/** `H(label, data)` at once. */
export function hashLabel(label: string, data: usize, length: i32, out: usize): void {
  hashBegin(label);
  sha384Update(data, length);
  sha384End(out);
}
