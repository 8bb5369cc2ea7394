/**
 * Byte strings in one buffer, so that many jobs travel between threads in one message and nothing is cloned:
 * how many there are, the length of each, then their bytes.
 */
const LENGTH_BYTES = 4;

export function packedBytes(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, LENGTH_BYTES * (1 + parts.length));
}

/** Writes them to the beginning of a buffer that is large enough. */
export function packParts(parts: readonly Uint8Array[], buffer: ArrayBuffer): void {
  const lengths = new Uint32Array(buffer, 0, 1 + parts.length);
  const bytes = new Uint8Array(buffer);
  lengths[0] = parts.length;
  let at = LENGTH_BYTES * lengths.length;
  parts.forEach((part, index) => {
    lengths[1 + index] = part.length;
    bytes.set(part, at);
    at += part.length;
  });
}

/** Views of the buffer. */
export function unpackParts(buffer: ArrayBuffer): Uint8Array[] {
  const [count = 0] = new Uint32Array(buffer, 0, 1);
  const lengths = new Uint32Array(buffer, LENGTH_BYTES, count);
  let at = LENGTH_BYTES * (1 + count);
  return Array.from(lengths, (length) => {
    const part = new Uint8Array(buffer, at, length);
    at += length;
    return part;
  });
}
