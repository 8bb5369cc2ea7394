/** CRC-32C, the checksum of the engine's files; the runtime has only the other polynomial. */
const POLYNOMIAL = 0x82f63b78;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ ((value & 1) * POLYNOMIAL);
  return value >>> 0;
});

export function crc32c(bytes: Uint8Array, start: number, end: number): number {
  let value = 0xffffffff;
  for (let i = start; i < end; i++) {
    value = (value >>> 8) ^ (TABLE[(value ^ (bytes[i] as number)) & 0xff] as number);
  }
  return ~value >>> 0;
}
