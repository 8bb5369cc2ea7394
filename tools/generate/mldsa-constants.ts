/**
 * Constants of ML-DSA's inverse transform and reductions that follow from its modulus. The tables of the transform are
 * computed by the kernel itself (`assembly/mldsa/zetas.ts`).
 */
import { type GeneratedFile, generatedFile } from './kernel-file.ts';

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

/** `round(factor * 2^32 / q)`. */
function quotient(factor: bigint): bigint {
  const numerator = (factor << 33n) + Q;
  const divisor = 2n * Q;
  const truncated = numerator / divisor;
  return numerator < 0n && numerator % divisor !== 0n ? truncated - 1n : truncated;
}

function inverseOfQ(): bigint {
  let inverse = 1n;
  for (let i = 0; i < 5; i++) inverse = BigInt.asUintN(32, inverse * (2n - Q * inverse));
  return BigInt.asIntN(32, inverse);
}

export function generateMlDsaConstants(): GeneratedFile[] {
  const scale = centred((1n << 32n) * power(256n, Q - 2n));
  const scaledZeta = centred(power(ROOT, 128n) * scale);
  const body = `
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
      'mldsa-constants.ts',
      'mldsa-constants.ts',
      'Constants of the inverse transform of ML-DSA and of its reductions.',
      body,
    ),
  ];
}
