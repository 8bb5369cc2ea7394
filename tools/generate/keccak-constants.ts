/**
 * Constants of Keccak-f[1600], computed from their definitions in FIPS 202 rather than copied.
 */
const WORD = (1n << 64n) - 1n;

/** FIPS 202, 3.2.5: the output of a linear feedback shift register over x^8 + x^6 + x^5 + x^4 + 1. */
export function roundConstants(): bigint[] {
  let register = 1;
  return Array.from({ length: 24 }, () => {
    let constant = 0n;
    for (let j = 0; j < 7; j++) {
      if (register & 1) constant ^= 1n << BigInt((1 << j) - 1);
      register <<= 1;
      if (register & 0x100) register ^= 0x171;
    }
    return constant;
  });
}

/** FIPS 202, 3.2.2: the rotation of the lane at (x, y), indexed x + 5y. */
export function rotationOffsets(): number[] {
  const offsets = new Array<number>(25).fill(0);
  let [x, y] = [1, 0];
  for (let t = 0; t < 24; t++) {
    offsets[lane(x, y)] = (((t + 1) * (t + 2)) / 2) % 64;
    [x, y] = [y, (2 * x + 3 * y) % 5];
  }
  return offsets;
}

export function lane(x: number, y: number): number {
  return (x % 5) + 5 * (y % 5);
}

/** Where the lane that lands at (x, y) after the pi step comes from. */
export function sourceOf(x: number, y: number): { x: number; y: number } {
  return { x: (x + 3 * y) % 5, y: x };
}

export function rotateLeft(value: bigint, count: number): bigint {
  const shift = BigInt(((count % 64) + 64) % 64);
  return ((value << shift) | (value >> (64n - shift))) & WORD;
}
