/**
 * CRC-32 (IEEE 802.3) of a byte string: finds torn and rotten records, and nothing else.
 */
const POLYNOMIAL = 0xedb8_8320;

const TABLE: Uint32Array = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? POLYNOMIAL : 0);
  return value;
});

export function crc32(bytes: Uint8Array, start = 0, end: number = bytes.length): number {
  let value = 0xffff_ffff;
  for (let at = start; at < end; at++)
    value = (TABLE[(value ^ (bytes[at] as number)) & 0xff] as number) ^ (value >>> 8);
  return (value ^ 0xffff_ffff) >>> 0;
}
