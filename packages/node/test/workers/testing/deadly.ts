/** Bytes that end a mortal worker. */
export const DEADLY: Uint8Array = Uint8Array.of(0xde, 0xad, 0xde, 0xad);

export function isDeadly(part: Uint8Array): boolean {
  return DEADLY.every((byte, place) => part[place] === byte);
}
