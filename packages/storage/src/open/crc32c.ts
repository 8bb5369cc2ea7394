/** CRC-32C, the checksum of the engine's files; the runtime has only the other polynomial. Eight bytes at a time. */
const POLYNOMIAL = 0x82f63b78;

/** Eight tables of 256: what a byte does to the checksum from each of eight places. */
const TABLES = makeTables();

function makeTables(): Int32Array {
  const tables = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ ((value & 1) * POLYNOMIAL);
    tables[byte] = value;
  }
  for (let at = 256; at < tables.length; at++) {
    const before = tables[at - 256] as number;
    tables[at] = (before >>> 8) ^ (tables[before & 0xff] as number);
  }
  return tables;
}

export function crc32c(bytes: Uint8Array, start: number, end: number): number {
  const byte = (at: number) => bytes[at] as number;
  const part = (table: number, value: number) => TABLES[256 * table + value] as number;
  let value = -1;
  let at = start;
  for (; at + 8 <= end; at += 8) {
    const first = byte(at) | (byte(at + 1) << 8) | (byte(at + 2) << 16) | (byte(at + 3) << 24);
    const low = value ^ first;
    value =
      part(7, low & 0xff) ^
      part(6, (low >>> 8) & 0xff) ^
      part(5, (low >>> 16) & 0xff) ^
      part(4, low >>> 24) ^
      part(3, byte(at + 4)) ^
      part(2, byte(at + 5)) ^
      part(1, byte(at + 6)) ^
      part(0, byte(at + 7));
  }
  for (; at < end; at++) value = (value >>> 8) ^ part(0, (value ^ byte(at)) & 0xff);
  return ~value >>> 0;
}

/** The engine stores checksums turned and shifted, so that they can lie in what has a checksum itself. */
export function unmasked(stored: number): number {
  const turned = (stored - 0xa282ead8) >>> 0;
  return ((turned >>> 17) | (turned << 15)) >>> 0;
}
