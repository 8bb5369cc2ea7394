/**
 * Byte strings in one buffer, so that many jobs travel between threads in one message and nothing is cloned:
 * how many there are, the length of each, then their bytes.
 */
const LENGTH_BYTES = 4;

export function packParts(parts: readonly Uint8Array[]): ArrayBuffer {
  const head = LENGTH_BYTES * (1 + parts.length);
  const buffer = new ArrayBuffer(parts.reduce((sum, { length }) => sum + length, head));
  const lengths = new Uint32Array(buffer, 0, 1 + parts.length);
  const bytes = new Uint8Array(buffer);
  lengths[0] = parts.length;
  let at = head;
  parts.forEach((part, index) => {
    lengths[1 + index] = part.length;
    bytes.set(part, at);
    at += part.length;
  });
  return buffer;
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
