/**
 * The powers of the 512th root of unity that the ML-DSA number-theoretic transform multiplies by.
 * Each comes with its quotient `round(zeta * 2^32 / q)`, so that a product is reduced with one high
 * multiplication (Barrett's method for a known factor).
 */
import { dataTable, type GeneratedFile, generatedFile } from './generated-file.ts';

const Q = 8380417n;
const ROOT = 1753n;

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base % Q];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % Q;
    square = (square * square) % Q;
  }
  return result;
}

function centred(value: bigint): bigint {
  const reduced = ((value % Q) + Q) % Q;
  return reduced > Q / 2n ? reduced - Q : reduced;
}

function reversedBits(index: number): number {
  let reversed = 0;
  for (let bit = 0; bit < 8; bit++) if ((index >> bit) & 1) reversed |= 128 >> bit;
  return reversed;
}

function quotient(factor: bigint): bigint {
  const numerator = (factor << 33n) + Q;
  const divisor = 2n * Q;
  const truncated = numerator / divisor;
  return numerator < 0n && numerator % divisor !== 0n ? truncated - 1n : truncated;
}

const ZETAS = Array.from({ length: 256 }, (_, i) => centred(power(ROOT, BigInt(reversedBits(i)))));

function zeta(index: number): bigint {
  return ZETAS[index] as bigint;
}

/** Four factors, then their four quotients: one vector each. */
function vectorOf(indices: readonly number[]): bigint[] {
  return [...indices.map(zeta), ...indices.map((i) => quotient(zeta(i)))];
}

/** Factors of the forward layers of length 2 and 1, in the order in which lanes are shuffled. */
function forwardVectors(): bigint[] {
  return Array.from({ length: 16 }, (_, block) => {
    const two = 64 + 4 * block;
    const one = 128 + 8 * block;
    return [two, two + 2]
      .map((i) => vectorOf([i, i, i + 1, i + 1]))
      .concat([one, one + 4].map((i) => vectorOf([i, i + 2, i + 1, i + 3])))
      .flat();
  }).flat();
}

/** The same for the inverse layers of length 1 and 2. */
function inverseVectors(): bigint[] {
  return Array.from({ length: 16 }, (_, block) => {
    const one = 255 - 8 * block;
    const two = 127 - 4 * block;
    return [one, one - 4]
      .map((i) => vectorOf([i, i - 2, i - 1, i - 3]))
      .concat([two, two - 2].map((i) => vectorOf([i, i, i - 1, i - 1])))
      .flat();
  }).flat();
}

function inverseOfQ(): bigint {
  let inverse = 1n;
  for (let i = 0; i < 5; i++) inverse = BigInt.asUintN(32, inverse * (2n - Q * inverse));
  return BigInt.asIntN(32, inverse);
}

export function generateZetas(): GeneratedFile[] {
  const pairs = ZETAS.flatMap((value) => [value, quotient(value)]);
  const scale = centred((1n << 32n) * power(256n, Q - 2n));
  const scaledZeta = centred(zeta(1) * scale);
  const table = (values: readonly bigint[]) => dataTable('i32', values.map(String), 8);
  const body = `
/** zeta^brv(i) and its quotient, for i from 0 to 255. */
export const ZETAS: usize = ${table(pairs)};

/** Factors and quotients of the forward layers of length 2 and 1, 128 bytes for 16 coefficients. */
export const FORWARD_VECTORS: usize = ${table(forwardVectors())};

/** Factors and quotients of the inverse layers of length 1 and 2, 128 bytes for 16 coefficients. */
export const INVERSE_VECTORS: usize = ${table(inverseVectors())};

/** 2^32 / 256: ends the inverse transform and pays for one Montgomery reduction. */
export const SCALE: i32 = ${scale};
export const SCALE_QUOTIENT: i32 = ${quotient(scale)};

/** The same times zeta^brv(1), the factor of the last inverse layer. */
export const SCALED_ZETA: i32 = ${scaledZeta};
export const SCALED_ZETA_QUOTIENT: i32 = ${quotient(scaledZeta)};

/** 1/q modulo 2^32. */
export const Q_INVERSE: i32 = ${inverseOfQ()};
`;
  return [
    generatedFile(
      'mldsa-zetas.ts',
      'mldsa-zetas.ts',
      'Factors of the ML-DSA number-theoretic transform.',
      body,
    ),
  ];
}
