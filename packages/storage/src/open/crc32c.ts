/** CRC-32C, the checksum of the engine's files; the runtime has only the other polynomial. */
import { type Crc, slicedCrc } from '../codec/sliced-crc.ts';

const POLYNOMIAL = 0x82f63b78;

export const crc32c: Crc = slicedCrc(POLYNOMIAL);

/** The engine stores checksums turned and shifted, so that they can be part of data with a checksum. */
export function unmasked(stored: number): number {
  const turned = (stored - 0xa282ead8) >>> 0;
  return ((turned >>> 17) | (turned << 15)) >>> 0;
}
