/**
 * Keccak-f[1600] for the kernel: one state in words, with rotations made plainly or owed to the next
 * xor; two states in vectors; and four as two in vectors with two in words, interleaved statement by
 * statement so that both register files work at once.
 */

import { roundConstants } from './keccak-constants.ts';
import {
  loadWord,
  OWED_WORDS,
  owedRoundConstants,
  PLAIN_WORDS,
  storeWord,
  vectorRound,
  type WordForm,
  wordRound,
} from './keccak-rounds.ts';
import { dataTable, type GeneratedFile, generatedFile, hexWord } from './kernel-file.ts';

const LANES = Array.from({ length: 25 }, (_, i) => i);
const STATE_BYTES = 200;

function declare(prefix: string, groups: string, type: string, zero: string): string[] {
  const lanes = LANES.map((i) => `let ${prefix}e${i}: ${type} = ${zero};`);
  const columns = groups
    .split('')
    .map((group) =>
      [0, 1, 2, 3, 4].map((i) => `let ${prefix}${group}${i}: ${type} = ${zero};`).join(' '),
    );
  return [...[0, 5, 10, 15, 20].map((i) => lanes.slice(i, i + 5).join(' ')), ...columns];
}

const declareWords = () => declare('', 'cdb', 'u64', '0');
const declareVectors = () => declare('v', 'cdbt', 'v128', 'i64x2.splat(0)');

function indent(lines: readonly string[], depth: number): string {
  return lines.map((line) => `${'  '.repeat(depth)}${line}\n`).join('');
}

/** Spreads two lists of statements evenly over each other, keeping the order within each. */
function interleave(first: readonly string[], second: readonly string[]): string[] {
  const merged: string[] = [];
  let [i, j] = [0, 0];
  while (i < first.length || j < second.length) {
    const firstIsBehind = i * second.length <= j * first.length;
    if ((firstIsBehind && i < first.length) || j >= second.length)
      merged.push(first[i++] as string);
    else merged.push(second[j++] as string);
  }
  return merged;
}

function wordRounds(form: WordForm, count: number): string[] {
  return Array.from({ length: count }, (_, k) =>
    wordRound(form, k, `load<u64>(constant, ${8 * k})`),
  ).flat();
}

function vectorRounds(count: number, pointer: string): string[] {
  return Array.from({ length: count }, (_, k) =>
    vectorRound(k, `v128.load64_splat(${pointer}, ${8 * k})`),
  ).flat();
}

function oneState(name: string, form: WordForm, constants: string): string {
  return `export function ${name}(state: usize): void {
${indent(
  LANES.map((i) => `let a${i}: u64 = ${loadWord(form, i, 'state')};`),
  1,
)}${indent(declareWords(), 1)}  let constant: usize = ${constants};
  const end: usize = ${constants} + 192;
  do {
${indent(wordRounds(form, 2), 2)}    constant += 16;
  } while (constant != end);
${indent(
  LANES.map((i) => storeWord(form, i, 'state')),
  1,
)}}
`;
}

function twoStates(): string {
  return `export function keccakFPair(pair: usize): void {
${indent(
  LANES.map((i) => `let va${i} = v128.load(pair, ${16 * i});`),
  1,
)}${indent(declareVectors(), 1)}  let constant: usize = ROUND_CONSTANTS;
  const end: usize = ROUND_CONSTANTS + 192;
  do {
${indent(vectorRounds(2, 'constant'), 2)}    constant += 16;
  } while (constant != end);
${indent(
  LANES.map((i) => `v128.store(pair, va${i}, ${16 * i});`),
  1,
)}}
`;
}

function fourStates(): string {
  return `export function keccakFFour(pair: usize, singles: usize): void {
${indent(
  LANES.map((i) => `let va${i} = v128.load(pair, ${16 * i});`),
  1,
)}${indent(declareVectors(), 1)}${indent(declareWords(), 1)}  let vectorConstant: usize = ROUND_CONSTANTS;
  const lastSingle: usize = singles + ${2 * STATE_BYTES};
  do {
${indent(
  LANES.map((i) => `let a${i}: u64 = ${loadWord(OWED_WORDS, i, 'singles')};`),
  2,
)}    let constant: usize = OWED_ROUND_CONSTANTS;
    const end: usize = OWED_ROUND_CONSTANTS + 192;
    do {
${indent(interleave(vectorRounds(2, 'vectorConstant'), wordRounds(OWED_WORDS, 4)), 3)}      constant += 32;
      vectorConstant += 16;
    } while (constant != end);
${indent(
  LANES.map((i) => storeWord(OWED_WORDS, i, 'singles')),
  2,
)}    singles += ${STATE_BYTES};
  } while (singles != lastSingle);
${indent(
  LANES.map((i) => `v128.store(pair, va${i}, ${16 * i});`),
  1,
)}}
`;
}

export function generateKeccak(): GeneratedFile[] {
  const plain = dataTable('u64', roundConstants().map(hexWord), 4);
  const owed = dataTable('u64', owedRoundConstants().map(hexWord), 4);
  const tables = `\nexport const ROUND_CONSTANTS: usize = ${plain};\n\n/** The same, rotated as lane 0 is between rounds. */\nexport const OWED_ROUND_CONSTANTS: usize = ${owed};\n\n`;
  const imports = "import { ROUND_CONSTANTS } from './keccak-f';\n\n";
  const bothImports = "import { OWED_ROUND_CONSTANTS, ROUND_CONSTANTS } from './keccak-f';\n\n";
  return [
    generatedFile(
      'keccak-f.ts',
      'keccak.ts',
      'Keccak-f[1600] over one state of 25 little-endian words, whose rotations are owed to the next xor.',
      tables + oneState('keccakFOwed', OWED_WORDS, 'OWED_ROUND_CONSTANTS'),
    ),
    generatedFile(
      'keccak-f-plain.ts',
      'keccak.ts',
      'Keccak-f[1600] over one state of 25 little-endian words, whose rotations are made at once.',
      imports + oneState('keccakFPlain', PLAIN_WORDS, 'ROUND_CONSTANTS'),
    ),
    generatedFile(
      'keccak-f-pair.ts',
      'keccak.ts',
      'Keccak-f[1600] over two states, lane i of both in one vector.',
      imports + twoStates(),
    ),
    generatedFile(
      'keccak-f-four.ts',
      'keccak.ts',
      'Keccak-f[1600] over a pair of states in vectors and two single states at once.',
      bothImports + fourStates(),
    ),
  ];
}
