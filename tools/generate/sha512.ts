/**
 * The SHA-512 compression function for the kernel, 16 rounds to the loop with every word in a local: over one block, and
 * over one block of each of two messages side by side in vectors.
 */
import { dataTable, type GeneratedFile, generatedFile, hexWord } from './kernel-file.ts';

const WORD = (1n << 64n) - 1n;
/** Rounds to the loop, after which every variable has its own place again, and words of the schedule to the loop. */
const PAIR_ROUNDS = 8;
const PAIR_WORDS = 2;
const VARIABLES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const;

/** The variables of the state, `a` to `h`, by the names that have them in a round. */
type Names = readonly [string, string, string, string, string, string, string, string];

/** What was computed into the place of `h` is `a` of the next round, and the others move on by one. */
function afterRound([a, b, c, d, e, f, g, h]: Names): Names {
  return [h, a, b, c, d, e, f, g];
}

function primes(count: number): bigint[] {
  const found: bigint[] = [];
  for (let n = 2n; found.length < count; n++) if (found.every((p) => n % p !== 0n)) found.push(n);
  return found;
}

function integerRoot(value: bigint, degree: bigint): bigint {
  let [low, high] = [0n, 1n << 80n];
  while (low < high) {
    const middle = (low + high + 1n) >> 1n;
    if (middle ** degree <= value) low = middle;
    else high = middle - 1n;
  }
  return low;
}

/** FIPS 180-4, 4.2.3: fractions of the cube roots of the first 80 primes. */
function roundConstants(): bigint[] {
  return primes(80).map((prime) => integerRoot(prime << 192n, 3n) & WORD);
}

/** FIPS 180-4, 5.3.4: fractions of the square roots of the ninth to sixteenth primes. */
function initialState384(): bigint[] {
  return primes(16)
    .slice(8)
    .map((prime) => integerRoot(prime << 128n, 2n) & WORD);
}

function rotations(value: string, counts: readonly number[]): string {
  return counts.map((count) => `rotr<u64>(${value}, ${count})`).join(' ^ ');
}

function word(index: number): string {
  return `w${index & 15}`;
}

function loadWords(): string {
  const pairs = [0, 2, 4, 6, 8, 10, 12, 14];
  const vector = pairs.map(
    (i) => `    v = v128.load(block, ${8 * i});
    v = i8x16.shuffle(v, v, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
    w${i} = i64x2.extract_lane(v, 0);
    w${i + 1} = i64x2.extract_lane(v, 1);
`,
  );
  const scalar = Array.from(
    { length: 16 },
    (_, i) => `    w${i} = bswap<u64>(load<u64>(block, ${8 * i}));\n`,
  );
  const declared = pairs.map((i) => `  let w${i}: u64 = 0, w${i + 1}: u64 = 0;\n`);
  return `${declared.join('')}  if (ASC_FEATURE_SIMD) {
    let v: v128;
${vector.join('')}  } else {
${scalar.join('')}  }
`;
}

function rounds(): string {
  let names: Names = VARIABLES;
  let text = '';
  for (let i = 0; i < 16; i++) {
    const [a, b, c, d, e, f, g, h] = names;
    text += `    t = ${h} + (${rotations(e, [14, 18, 41])}) + (${g} ^ (${e} & (${f} ^ ${g}))) + load<u64>(constant, ${8 * i}) + ${word(i)};\n`;
    text += `    ${d} += t;\n`;
    text += `    ${h} = t + (${rotations(a, [28, 34, 39])}) + ((${a} & ${b}) | (${c} & (${a} | ${b})));\n`;
    names = afterRound(names);
  }
  return text;
}

function schedule(): string {
  return Array.from({ length: 16 }, (_, i) => {
    const early = word(i + 1);
    const late = word(i + 14);
    return `    ${word(i)} += (${rotations(early, [1, 8])} ^ (${early} >> 7)) + ${word(i + 9)} + (${rotations(late, [19, 61])} ^ (${late} >> 6));\n`;
  }).join('');
}

function xorAll(terms: readonly string[]): string {
  return terms.reduce((all, term) => `v128.xor(${all}, ${term})`);
}

function sumOf(...terms: readonly string[]): string {
  return terms.reduce((all, term) => `i64x2.add(${all}, ${term})`);
}

/** Vectors have no rotation: each is two shifts, whose bits do not meet. */
function pairRotations(value: string, counts: readonly number[]): string[] {
  return counts.flatMap((count) => [
    `i64x2.shr_u(${value}, ${count})`,
    `i64x2.shl(${value}, ${64 - count})`,
  ]);
}

/** The majority of a, b and c is `b ^ ((a ^ b) & (b ^ c))`, and `b ^ c` was `a ^ b` one round before. */
function pairRounds(): string {
  let names: Names = VARIABLES;
  let text = '';
  for (let i = 0; i < PAIR_ROUNDS; i++) {
    const [a, b, , d, e, f, g, h] = names;
    const [now, before] = i % 2 === 0 ? ['x', 'y'] : ['y', 'x'];
    const chosen = `v128.xor(${g}, v128.and(${e}, v128.xor(${f}, ${g})))`;
    const constant = `v128.load_splat<u64>(constant, ${8 * i})`;
    const mixed = xorAll(pairRotations(e, [14, 18, 41]));
    text += `    t = ${sumOf(sumOf(h, sumOf(constant, `v128.load(words, ${16 * i})`)), chosen, mixed)};\n`;
    text += `    ${d} = i64x2.add(${d}, t);\n`;
    text += `    ${now} = v128.xor(${a}, ${b});\n`;
    const majority = `v128.xor(${b}, v128.and(${now}, ${before}))`;
    text += `    ${h} = ${sumOf('t', majority, xorAll(pairRotations(a, [28, 34, 39])))};\n`;
    names = afterRound(names);
  }
  return text;
}

/** The word that is 16 words after `words`, and those after it. */
function pairSchedule(): string {
  let text = '';
  for (let i = 0; i < PAIR_WORDS; i++) {
    const sum = sumOf(
      sumOf(`v128.load(words, ${16 * i})`, `v128.load(words, ${16 * (i + 9)})`),
      xorAll([...pairRotations('u', [1, 8]), 'i64x2.shr_u(u, 7)']),
      xorAll([...pairRotations('v', [19, 61]), 'i64x2.shr_u(v, 6)']),
    );
    text += `    u = v128.load(words, ${16 * (i + 1)});\n`;
    text += `    v = v128.load(words, ${16 * (i + 14)});\n`;
    text += `    v128.store(words, ${sum}, ${16 * (i + 16)});\n`;
  }
  return text;
}

function generatePair(): GeneratedFile {
  const body = `import { ROUND_CONSTANTS } from './sha512-block';

/** All 80 words of the schedule, of both messages, the first in the lower half of each vector: x86 has too few registers for the last 16 of them beside the state. */
const WORDS: usize = memory.data(1280, 16);

/** \`pair\` has the states of both messages, word i of both in vector i. */
export function sha512BlockPair(pair: usize, first: usize, second: usize): void {
  let v: v128, u: v128;
  let words: usize = WORDS;
  for (let at: usize = 0; at < 128; at += 16) {
    v = v128.load(first + at);
    u = v128.load(second + at);
    v128.store(words, i8x16.shuffle(v, u, 7, 6, 5, 4, 3, 2, 1, 0, 23, 22, 21, 20, 19, 18, 17, 16));
    v128.store(words, i8x16.shuffle(v, u, 15, 14, 13, 12, 11, 10, 9, 8, 31, 30, 29, 28, 27, 26, 25, 24), 16);
    words += 32;
  }
  words = WORDS;
  const scheduled: usize = WORDS + 1024;
  do {
${pairSchedule()}    words += ${16 * PAIR_WORDS};
  } while (words != scheduled);
${VARIABLES.map((name, i) => `  let ${name} = v128.load(pair, ${16 * i});\n`).join('')}  let t: v128, x: v128;
  let y = v128.xor(b, c);
  let constant: usize = ROUND_CONSTANTS;
  const end: usize = ROUND_CONSTANTS + 640;
  words = WORDS;
  do {
${pairRounds()}    constant += ${8 * PAIR_ROUNDS};
    words += ${16 * PAIR_ROUNDS};
  } while (constant != end);
${VARIABLES.map((name, i) => `  v128.store(pair, i64x2.add(v128.load(pair, ${16 * i}), ${name}), ${16 * i});\n`).join('')}}
`;
  return generatedFile(
    'sha512-block-pair.ts',
    'sha512.ts',
    'The SHA-512 compression function over one block of 128 bytes of each of two messages, in vectors.',
    body,
  );
}

export function generateSha512(): GeneratedFile[] {
  const body = `
export const ROUND_CONSTANTS: usize = ${dataTable('u64', roundConstants().map(hexWord), 4)};

/** The initial state of SHA-384, FIPS 180-4 section 5.3.4. */
export const SHA384_INITIAL: usize = ${dataTable('u64', initialState384().map(hexWord), 4)};

export function sha512Block(state: usize, block: usize): void {
${loadWords()}${VARIABLES.map((name, i) => `  let ${name}: u64 = load<u64>(state, ${8 * i});\n`).join('')}  let t: u64 = 0;
  let constant: usize = ROUND_CONSTANTS;
  const end: usize = ROUND_CONSTANTS + 640;
  for (;;) {
${rounds()}    constant += 128;
    if (constant == end) break;
${schedule()}  }
${VARIABLES.map((name, i) => `  store<u64>(state, load<u64>(state, ${8 * i}) + ${name}, ${8 * i});\n`).join('')}}
`;
  return [
    generatedFile(
      'sha512-block.ts',
      'sha512.ts',
      'The SHA-512 compression function over one block of 128 bytes.',
      body,
    ),
    generatePair(),
  ];
}
