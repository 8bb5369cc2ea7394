/**
 * Signatures that only one rule of FIPS 204 refuses: made for a public key whose t1 is zero, for which a fitting
 * challenge is easy to find.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shake128, shake256 } from '@noble/hashes/sha3.js';
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js';
import { kernelTwins } from '../../test/kernel-twins.ts';
import { seededBytes } from '../../test/seeded-bytes.ts';
import { concatBytes } from '../base/bytes.ts';

const Q = 8380417;
const ROOT = 1753;
const ROWS = 6;
const COLUMNS = 5;
const GAMMA1 = 1 << 19;
const GAMMA2 = (Q - 1) / 32;
const BETA = 196;
const OMEGA = 55;

const MESSAGE = seededBytes('message', 48);
const RHO = seededBytes('rho', 32);
/** t1 is zero, so A z is all that a verifier looks at. */
const PUBLIC_KEY = concatBytes(RHO, new Uint8Array(ROWS * 320));

/** An entry of the matrix's first column, transformed, as sampled from the seed. */
function matrixEntry(row: number): number[] {
  const bytes = shake128(concatBytes(RHO, Uint8Array.of(0, row)), { dkLen: 3 * 512 });
  const entry: number[] = [];
  for (let at = 0; entry.length < 256; at += 3) {
    const [low = 0, middle = 0, high = 0] = bytes.subarray(at, at + 3);
    const value = low | (middle << 8) | ((high & 0x7f) << 16);
    if (value < Q) entry.push(value);
  }
  return entry;
}

function reversedBits(value: number): number {
  return Number.parseInt(value.toString(2).padStart(8, '0').split('').reverse().join(''), 2);
}

/** The polynomial with given values at the odd powers of the root, term by term. */
function untransformed(values: readonly number[]): number[] {
  const powers = [1];
  for (let i = 1; i < 512; i++) powers.push(((powers[i - 1] as number) * ROOT) % Q);
  const inverseOf256 = 8347681;
  return Array.from({ length: 256 }, (_, j) => {
    const sum = values.reduce((total, value, i) => {
      const exponent = (512 - (((2 * reversedBits(i) + 1) * j) % 512)) % 512;
      return (total + value * (powers[exponent] as number)) % Q;
    }, 0);
    return (sum * inverseOf256) % Q;
  });
}

function lowBits(value: number): number {
  return ((value + GAMMA2 - 1) % (2 * GAMMA2)) - GAMMA2 + 1;
}

/** The high bits that a verifier uses: moved by one where there is a hint. */
function highBits(value: number, hinted: boolean): number {
  const low = lowBits(value);
  const high = value - low === Q - 1 ? 0 : (value - low) / (2 * GAMMA2);
  const isBelow = low <= 0 || value - low === Q - 1;
  return hinted ? (high + (isBelow ? 15 : 1)) % 16 : high;
}

const COLUMN = Array.from({ length: ROWS }, (_, row) => untransformed(matrixEntry(row)));

interface Forgery {
  /** z is this number, and otherwise zero. */
  readonly response: number;
  /** Positions of hints that count, by row. */
  readonly hinted?: Readonly<Record<number, readonly number[]>>;
  /** How hints are written: positions, and where each row ends. */
  readonly positions?: readonly number[];
  readonly ends?: readonly number[];
}

/** A signature whose challenge fits the message. */
function forge({ response, hinted = {}, positions = [], ends = [] }: Forgery): Uint8Array {
  const factor = (response + Q) % Q;
  const high = COLUMN.flatMap((entry, row) =>
    entry.map((value, at) => highBits((value * factor) % Q, hinted[row]?.includes(at) === true)),
  );
  const packed = Uint8Array.from({ length: high.length / 2 }, (_, i) => {
    return (high[2 * i] as number) | ((high[2 * i + 1] as number) << 4);
  });
  const tr = shake256(PUBLIC_KEY, { dkLen: 64 });
  const mu = shake256(concatBytes(tr, Uint8Array.of(0, 0), MESSAGE), { dkLen: 64 });
  const challenge = shake256(concatBytes(mu, packed), { dkLen: 48 });
  const hints = new Uint8Array(OMEGA + ROWS);
  hints.set(positions);
  hints.set(ends, OMEGA);
  return concatBytes(challenge, packedResponse(response), hints);
}

/** Twenty bits for each coefficient: gamma1 less its value. */
function packedResponse(first: number): Uint8Array {
  const bytes = new Uint8Array(COLUMNS * 640);
  for (let pair = 0; pair < COLUMNS * 128; pair++) {
    const low = GAMMA1 - (pair === 0 ? first : 0);
    bytes.set([low, low >> 8, (low >> 16) | ((GAMMA1 & 15) << 4)], 5 * pair);
    bytes.set([GAMMA1 >> 4, GAMMA1 >> 12], 5 * pair + 3);
  }
  return bytes;
}

const FIRST_55 = Array.from({ length: OMEGA }, (_, i) => i);

/** Other encodings of hints that a verifier would take for the same. */
const REWRITTEN: Readonly<Record<string, Forgery>> = {
  'a hint twice': {
    response: 1000,
    hinted: { 0: [3, 7] },
    positions: [3, 3, 7],
    ends: [3, 3, 3, 3, 3, 3],
  },
  'hints in another order': {
    response: 1000,
    hinted: { 0: [3, 7] },
    positions: [7, 3],
    ends: [2, 2, 2, 2, 2, 2],
  },
  'a row that ends before it starts': {
    response: 1000,
    hinted: { 0: [3, 7] },
    positions: [3, 7],
    ends: [2, 2, 1, 2, 2, 2],
  },
  'something behind the last hint': {
    response: 1000,
    hinted: { 0: [3, 7] },
    positions: [3, 7, 9],
    ends: [2, 2, 2, 2, 2, 2],
  },
  'one hint more than there may be': {
    response: 1000,
    hinted: { 0: FIRST_55, 5: [OMEGA] },
    positions: FIRST_55,
    ends: [OMEGA, OMEGA, OMEGA, OMEGA, OMEGA, OMEGA + 1],
  },
};

for (const { name, mlDsa65 } of await kernelTwins()) {
  const accepts = (signature: Uint8Array): boolean => {
    const verdict = mlDsa65.verify(PUBLIC_KEY, MESSAGE, signature);
    assert.equal(mlDsa65.verify(mlDsa65.expand(PUBLIC_KEY), MESSAGE, signature), verdict);
    assert.equal(ml_dsa65.verify(signature, MESSAGE, PUBLIC_KEY), verdict);
    return verdict;
  };

  test(`a response is accepted up to its bound and not one step beyond (${name})`, () => {
    for (const sign of [1, -1]) {
      assert.equal(accepts(forge({ response: sign * (GAMMA1 - BETA - 1) })), true);
      assert.equal(accepts(forge({ response: sign * (GAMMA1 - BETA) })), false);
      assert.equal(accepts(forge({ response: sign * (GAMMA1 - 1) })), false);
    }
  });

  test(`hints are written in one way only (${name})`, () => {
    const hinted = { 0: [3, 7], 4: [255] };
    const written = { positions: [3, 7, 255], ends: [2, 2, 2, 2, 3, 3] };
    assert.equal(accepts(forge({ response: 1000, hinted, ...written })), true);
    const most = { positions: FIRST_55, ends: Array(ROWS).fill(OMEGA) };
    assert.equal(accepts(forge({ response: 1000, hinted: { 0: FIRST_55 }, ...most })), true);
    for (const [way, forgery] of Object.entries(REWRITTEN)) {
      assert.equal(accepts(forge(forgery)), false, way);
    }
  });

  test(`every byte of the challenge counts (${name})`, () => {
    const signature = forge({ response: 1000 });
    assert.equal(accepts(signature), true);
    for (let at = 0; at < 48; at++) {
      const changed = signature.slice();
      changed[at] = (changed[at] as number) ^ 1;
      assert.equal(accepts(changed), false, `byte ${at}`);
    }
  });
}
