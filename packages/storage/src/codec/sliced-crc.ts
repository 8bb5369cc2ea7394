/**
 * CRC-32 of any polynomial, eight bytes at a time: for the polynomial that the runtime lacks, and for records so short that
 * a call of the runtime takes longer than their bytes.
 */

/** The checksum of a range of bytes that follow bytes with the checksum `before`. */
export type Crc = (bytes: Uint8Array, start: number, end: number, before?: number) => number;

/** The polynomial has its lowest power in the highest bit. */
export function slicedCrc(polynomial: number): Crc {
  const tables = tablesOf(polynomial);
  return (bytes, start, end, before = 0) => {
    let value = ~before;
    let at = start;
    for (; at + 8 <= end; at += 8) value = nextEight(tables, bytes, at, value);
    for (; at < end; at++)
      value = (value >>> 8) ^ (tables[(value ^ (bytes[at] as number)) & 0xff] as number);
    return ~value >>> 0;
  };
}

/** Eight tables of 256: the effect of a byte on the checksum from each of eight places. */
function tablesOf(polynomial: number): Int32Array {
  const tables = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ ((value & 1) * polynomial);
    tables[byte] = value;
  }
  for (let at = 256; at < tables.length; at++) {
    const before = tables[at - 256] as number;
    tables[at] = (before >>> 8) ^ (tables[before & 0xff] as number);
  }
  return tables;
}

/** Written out, since calls within it take as long as the rest. */
function nextEight(tables: Int32Array, bytes: Uint8Array, at: number, value: number): number {
  const b0 = bytes[at] as number;
  const b1 = bytes[at + 1] as number;
  const b2 = bytes[at + 2] as number;
  const b3 = bytes[at + 3] as number;
  const low = value ^ (b0 | (b1 << 8) | (b2 << 16) | (b3 << 24));
  return (
    (tables[0x700 + (low & 0xff)] as number) ^
    (tables[0x600 + ((low >>> 8) & 0xff)] as number) ^
    (tables[0x500 + ((low >>> 16) & 0xff)] as number) ^
    (tables[0x400 + (low >>> 24)] as number) ^
    (tables[0x300 + (bytes[at + 4] as number)] as number) ^
    (tables[0x200 + (bytes[at + 5] as number)] as number) ^
    (tables[0x100 + (bytes[at + 6] as number)] as number) ^
    (tables[bytes[at + 7] as number] as number)
  );
}
