/**
 * The inner loops of the proof of work with four lanes in vectors. A lane's mix stays in registers,
 * and the four loads that miss the caches follow each other closely. Choosing a word needs its lane
 * number as a constant, so the steps of one vector are written out; then the vectors move up by one.
 */
import { type GeneratedFile, generatedFile } from './kernel-file.ts';

const LANES = [0, 1, 2, 3] as const;

interface Loop {
  readonly name: string;
  readonly what: string;
  readonly steps: number;
  /** Vectors of 16 bytes in a mix and in a line. */
  readonly vectors: number;
  /** Bytes from one lane's mix to the next. */
  readonly stride: number;
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function mixOf(lane: number, vector: number): string {
  return `mix${lane}v${vector}`;
}

function step(loop: Loop, at: number): string[] {
  const shift = Math.log2(loop.vectors * 16);
  const choose = LANES.map((lane) => {
    const word = `<u32>i32x4.extract_lane(${mixOf(lane, 0)}, ${at})`;
    const chosen = `fnv(seed${lane} ^ (step + ${at}), ${word}) % count`;
    return `line${lane} = base + (<usize>(${chosen}) << ${shift});`;
  });
  const mix = LANES.flatMap((lane) =>
    numbers(loop.vectors).map((vector) => {
      const own = mixOf(lane, vector);
      return `${own} = v128.xor(i32x4.mul(${own}, prime), v128.load(line${lane} + at${vector}));`;
    }),
  );
  return [...choose, ...mix];
}

/** Moves every vector up by one, the first to the end. */
function rotate(prefix: string, vectors: number, type: string): string[] {
  const name = (vector: number) => `${prefix}${vector}`;
  return [
    `const ${prefix}first: ${type} = ${name(0)};`,
    ...numbers(vectors - 1).map((vector) => `${name(vector)} = ${name(vector + 1)};`),
    `${name(vectors - 1)} = ${prefix}first;`,
  ];
}

function body(loop: Loop): string[] {
  return [
    ...[0, 1, 2, 3].flatMap((at) => step(loop, at)),
    ...LANES.flatMap((lane) => rotate(`mix${lane}v`, loop.vectors, 'v128')),
    ...rotate('at', loop.vectors, 'usize'),
  ];
}

function eachVector(loop: Loop, make: (own: string, offset: number) => string): string[] {
  return LANES.flatMap((lane) =>
    numbers(loop.vectors).map((vector) =>
      make(mixOf(lane, vector), lane * loop.stride + 16 * vector),
    ),
  );
}

function indent(lines: readonly string[], depth: number): string {
  return lines.map((line) => `${'  '.repeat(depth)}${line}`).join('\n');
}

function loopFunction(loop: Loop): string {
  const loads = eachVector(loop, (own, offset) => `let ${own} = v128.load(mixes, ${offset});`);
  const stores = eachVector(loop, (own, offset) => `v128.store(mixes, ${own}, ${offset});`);
  const offsets = numbers(loop.vectors).map((vector) => `let at${vector}: usize = ${16 * vector};`);
  const lines = LANES.map((lane) => `let line${lane}: usize = 0;`);
  return `
/** ${loop.what} */
export function ${loop.name}(
  mixes: usize, seed0: u32, seed1: u32, seed2: u32, seed3: u32, base: usize, count: u32,
): void {
  const prime = i32x4.splat(FNV_PRIME);
${indent([...loads, ...offsets, ...lines], 1)}
  for (let step: u32 = 0; step < ${loop.steps}; step += 4) {
${indent(body(loop), 2)}
  }
${indent(stores, 1)}
}`;
}

const LOOPS: readonly Loop[] = [
  {
    name: 'mixItemsFour',
    what: 'Mixes 256 cache items into each of four mixes of 64 bytes.',
    steps: 256,
    vectors: 4,
    stride: 256,
  },
  {
    name: 'mixPagesFour',
    what: 'Mixes 64 dataset pages into each of four mixes of 128 bytes.',
    steps: 64,
    vectors: 8,
    stride: 128,
  },
];

export function generatePow(): GeneratedFile[] {
  const text = `import { FNV_PRIME, fnv } from '../pow/fnv';\n${LOOPS.map(loopFunction).join('\n')}\n`;
  const what = 'Four interleaved lanes of the proof of work.';
  return [generatedFile('pow-four.ts', 'pow.ts', what, text)];
}
