/**
 * The statements of one round of Keccak-f[1600], for one state in 64-bit words and for two states in
 * 128-bit vectors. Both read lanes `a…` and write lanes `e…`, or the reverse on odd rounds.
 */
import { lane, rotateLeft, rotationOffsets, roundConstants, sourceOf } from './keccak-constants.ts';

const FIVE = [0, 1, 2, 3, 4] as const;
const RHO = rotationOffsets();

/** Lanes kept inverted between rounds, which leaves chi almost no `not` to do. */
const INVERTED: readonly boolean[] = Array.from({ length: 25 }, (_, i) =>
  [1, 2, 8, 12, 17, 20].includes(i),
);

interface ChiTerm {
  readonly operator: '&' | '|';
  /** Which operand is inverted (and rotated), if one is. */
  readonly inverts: 1 | 2 | undefined;
  readonly invertsResult: boolean;
}

function columnInverted(x: number): boolean {
  return FIVE.filter((y) => INVERTED[lane(x, y)]).length % 2 === 1;
}

/** Whether the lane at (x, y) after theta, rho and pi is inverted. */
function invertedBeforeChi(x: number, y: number): boolean {
  const from = sourceOf(x % 5, y);
  const delta = columnInverted((from.x + 4) % 5) !== columnInverted((from.x + 1) % 5);
  return INVERTED[lane(from.x, from.y)] !== delta;
}

/** Writes `~b1 & b2`, and the inversion that the output lane needs, in operators on inverted lanes. */
function chiTerm(x: number, y: number): ChiTerm {
  const first = invertedBeforeChi(x + 1, y);
  const second = invertedBeforeChi(x + 2, y);
  const flip = invertedBeforeChi(x, y) !== INVERTED[lane(x, y)];
  if (first && !second) return { operator: '&', inverts: undefined, invertsResult: flip };
  if (!first && second) return { operator: '|', inverts: undefined, invertsResult: !flip };
  if (first) return { operator: flip ? '|' : '&', inverts: flip ? 1 : 2, invertsResult: false };
  return { operator: flip ? '|' : '&', inverts: flip ? 2 : 1, invertsResult: false };
}

function rhoBeforeChi(x: number, y: number): number {
  const from = sourceOf(x % 5, y);
  return RHO[lane(from.x, from.y)] as number;
}

/** When the rotations of a state in words are made. */
export interface WordForm {
  /** The rotation that each lane still owes after a round. */
  readonly owed: readonly number[];
  /** Whether a lane is rotated before chi, rather than where chi next uses it. */
  readonly rotatesBeforeChi: boolean;
}

/** Every rotation is made at once, where the specification has it. */
export const PLAIN_WORDS: WordForm = {
  owed: Array.from({ length: 25 }, () => 0),
  rotatesBeforeChi: true,
};

/**
 * Each lane keeps the rotation of the chi operand that is not rotated; the debt is paid where the lane is next xored,
 * since arm64 rotates for free there.
 */
export const OWED_WORDS: WordForm = {
  owed: Array.from({ length: 25 }, (_, i) => {
    const [x, y] = [i % 5, Math.floor(i / 5)];
    return rhoBeforeChi(chiTerm(x, y).inverts === 2 ? x + 1 : x + 2, y);
  }),
  rotatesBeforeChi: false,
};

function rotated(value: string, count: number): string {
  const by = ((count % 64) + 64) % 64;
  return by === 0 ? value : `rotl<u64>(${value}, ${by})`;
}

/** Round constants as they are xored into lane 0, which owes a rotation. */
export function owedRoundConstants(): bigint[] {
  return roundConstants().map((constant) => rotateLeft(constant, -owedBy(OWED_WORDS, 0)));
}

function owedBy(form: WordForm, index: number): number {
  return form.owed[index] as number;
}

export function loadWord(form: WordForm, index: number, at: string): string {
  return rotated(
    `${INVERTED[index] ? '~' : ''}load<u64>(${at}, ${8 * index})`,
    -owedBy(form, index),
  );
}

export function storeWord(form: WordForm, index: number, at: string): string {
  const value = rotated(`a${index}`, owedBy(form, index));
  return `store<u64>(${at}, ${INVERTED[index] ? '~' : ''}${value}, ${8 * index});`;
}

function names(round: number): {
  from: (x: number, y: number) => string;
  to: (x: number, y: number) => string;
} {
  const a = (x: number, y: number) => `a${lane(x, y)}`;
  const e = (x: number, y: number) => `e${lane(x, y)}`;
  return round % 2 === 0 ? { from: a, to: e } : { from: e, to: a };
}

/** One round over 64-bit words; `constant` is the expression of the round constant. */
export function wordRound(form: WordForm, round: number, constant: string): string[] {
  const { from, to } = names(round);
  const owed = (x: number, y: number) => owedBy(form, lane(x, y));
  const lines: string[] = [];
  for (const x of FIVE) {
    const rest = [1, 2, 3, 4].map((y) => rotated(from(x, y), owed(x, y) - owed(x, 0)));
    lines.push(`c${x} = ${rotated(`(${[from(x, 0), ...rest].join(' ^ ')})`, owed(x, 0))};`);
  }
  for (const x of FIVE) lines.push(`d${x} = c${(x + 4) % 5} ^ ${rotated(`c${(x + 1) % 5}`, 1)};`);
  for (const y of FIVE) {
    for (const x of FIVE) {
      const source = sourceOf(x, y);
      const mixed = `d${source.x} ^ ${rotated(from(source.x, source.y), owed(source.x, source.y))}`;
      const rho = form.rotatesBeforeChi ? rhoBeforeChi(x, y) : 0;
      lines.push(`b${x} = ${rotated(mixed, rho)};`);
    }
    for (const x of FIVE) lines.push(`${to(x, y)} = ${chiWord(form, x, y, constant)};`);
  }
  return lines;
}

function chiWord(form: WordForm, x: number, y: number, constant: string): string {
  const { operator, inverts, invertsResult } = chiTerm(x, y);
  const still = inverts === 2 ? 1 : 2;
  const left = (column: number) => (form.rotatesBeforeChi ? 0 : rhoBeforeChi(column, y));
  const kept = left(x + still);
  const turned = rotated(`b${(x + 3 - still) % 5}`, left(x + 3 - still) - kept);
  const term = `(b${(x + still) % 5} ${operator} ${inverts === undefined ? '' : '~'}${turned})`;
  const first = rotated(`b${x}`, left(x) - kept);
  const lanes = `${invertsResult ? '~' : ''}${term} ^ ${first}`;
  return x === 0 && y === 0 ? `(${lanes}) ^ ${constant}` : lanes;
}

function xor(a: string, b: string): string {
  return `v128.xor(${a}, ${b})`;
}

/** Add of two shifts, not or: V8 makes one shift-and-accumulate of it on arm64. */
function vectorRotated(value: string, by: number): string {
  const bytes = {
    8: '7, 0, 1, 2, 3, 4, 5, 6, 15, 8, 9, 10, 11, 12, 13, 14',
    56: '1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 8',
  };
  if (by === 0) return value;
  if (by === 8 || by === 56) return `i8x16.shuffle(${value}, ${value}, ${bytes[by]})`;
  if (by === 1) return `i64x2.add(i64x2.add(${value}, ${value}), i64x2.shr_u(${value}, 63))`;
  return `i64x2.add(i64x2.shl(${value}, ${by}), i64x2.shr_u(${value}, ${64 - by}))`;
}

/** One round over vectors of two states; every name is that of `wordRound` with a `v` before it. */
export function vectorRound(round: number, constant: string): string[] {
  const { from, to } = names(round);
  const lines: string[] = [];
  for (const x of FIVE) {
    const [p, q, r, s, t] = FIVE.map((y) => `v${from(x, y)}`) as [
      string,
      string,
      string,
      string,
      string,
    ];
    lines.push(`vc${x} = ${xor(xor(xor(p, q), xor(r, s)), t)};`);
  }
  for (const x of FIVE)
    lines.push(`vd${x} = ${xor(`vc${(x + 4) % 5}`, vectorRotated(`vc${(x + 1) % 5}`, 1))};`);
  for (const y of FIVE) {
    for (const x of FIVE) {
      const source = sourceOf(x, y);
      lines.push(`vt${x} = ${xor(`v${from(source.x, source.y)}`, `vd${source.x}`)};`);
      lines.push(`vb${x} = ${vectorRotated(`vt${x}`, rhoBeforeChi(x, y))};`);
    }
    for (const x of FIVE) {
      const chi = xor(`vb${x}`, `v128.andnot(vb${(x + 2) % 5}, vb${(x + 1) % 5})`);
      lines.push(`v${to(x, y)} = ${x === 0 && y === 0 ? xor(chi, constant) : chi};`);
    }
  }
  return lines;
}
