/**
 * Byte strings of equal length, compared in place.
 */

export function equalBytes(a: usize, b: usize, length: i32): bool {
  return memory.compare(a, b, length) == 0;
}

/** Below zero, zero or above zero, as unsigned big-endian numbers. */
export function compareBytes(a: usize, b: usize, length: i32): i32 {
  return memory.compare(a, b, length);
}

export function isZero(pointer: usize, length: i32): bool {
  for (let i = 0; i < length; i++) if (load<u8>(pointer + i) != 0) return false;
  return true;
}
