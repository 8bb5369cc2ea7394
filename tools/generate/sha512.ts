/**
 * The SHA-512 compression function for the kernel, 16 rounds to the loop with every word in a local.
 */
import { dataTable, type GeneratedFile, generatedFile, hexWord } from './generated-file.ts';

const WORD = (1n << 64n) - 1n;
const VARIABLES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const;

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
  let names: string[] = [...VARIABLES];
  let text = '';
  for (let i = 0; i < 16; i++) {
    const [a, b, c, d, e, f, g, h] = names as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    text += `    t = ${h} + (${rotations(e, [14, 18, 41])}) + (${g} ^ (${e} & (${f} ^ ${g}))) + load<u64>(constant, ${8 * i}) + ${word(i)};\n`;
    text += `    ${d} += t;\n`;
    text += `    ${h} = t + (${rotations(a, [28, 34, 39])}) + ((${a} & ${b}) | (${c} & (${a} | ${b})));\n`;
    names = [names[7] as string, ...names.slice(0, 7)];
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

export function generateSha512(): GeneratedFile[] {
  const body = `
const ROUND_CONSTANTS: usize = ${dataTable('u64', roundConstants().map(hexWord), 4)};

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
  ];
}
