/**
 * Memory for new records, cut from large chunks: an array of its own for each record costs more than
 * everything else that is done to it. A chunk is freed when the last of its records is.
 */
const CHUNK_BYTES = 1 << 20;

let chunk = new ArrayBuffer(0);
let used = 0;

export function newRecord(bytes: number): Uint8Array {
  if (used + bytes > chunk.byteLength) {
    chunk = new ArrayBuffer(Math.max(bytes, CHUNK_BYTES));
    used = 0;
  }
  const record = new Uint8Array(chunk, used, bytes);
  used += bytes;
  return record;
}
