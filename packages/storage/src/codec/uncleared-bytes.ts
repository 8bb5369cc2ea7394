/**
 * Memory for bytes that are written before they are read. Large pieces are not cleared first: clearing a body of a block costs as
 * much as copying it. For small ones there is no quicker way than the plain one.
 */
const CLEARED_BYTES_MAX = 2_048;

export function unclearedBytes(length: number): Uint8Array<ArrayBuffer> {
  if (length <= CLEARED_BYTES_MAX) return new Uint8Array(length);
  return new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
}
