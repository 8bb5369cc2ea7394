/**
 * CRC-32 (IEEE 802.3) of a byte string: it finds torn and corrupt records, and proves nothing.
 */
const POLYNOMIAL = 0xedb8_8320;

/** Table `n` has the CRC of a byte with `n` bytes after it: four tables process four bytes at once. */
const TABLES: readonly [Uint32Array, Uint32Array, Uint32Array, Uint32Array] = makeTables();

function makeTables(): [Uint32Array, Uint32Array, Uint32Array, Uint32Array] {
  const first = Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? POLYNOMIAL : 0);
    return value;
  });
  const followed = (table: Uint32Array) =>
    table.map((value) => (first[value & 0xff] as number) ^ (value >>> 8));
  const second = followed(first);
  const third = followed(second);
  return [first, second, third, followed(third)];
}

export function crc32(bytes: Uint8Array, start = 0, end: number = bytes.length): number {
  const [last, third, second, first] = TABLES;
  let value = -1;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    value ^=
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    value =
      (first[value & 0xff] as number) ^
      (second[(value >>> 8) & 0xff] as number) ^
      (third[(value >>> 16) & 0xff] as number) ^
      (last[value >>> 24] as number);
  }
  for (; at < end; at++)
    value = (last[(value ^ (bytes[at] as number)) & 0xff] as number) ^ (value >>> 8);
  return (value ^ 0xffff_ffff) >>> 0;
}
