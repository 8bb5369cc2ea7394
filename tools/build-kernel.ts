/**
 * Compiles `packages/protocol/assembly` into the kernel and its twins.
 *
 * No `-O` flag on purpose: Binaryen's reordering undoes the hand-interleaved kernels that V8
 * keeps as written (ADR 0003). Passes that only remove dead code and pack zeroes are welcome.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const folder = fileURLToPath(new URL('../packages/protocol/', import.meta.url));

const common = [
  '--runtime',
  'stub',
  '--noAssert',
  '--importMemory',
  '--zeroFilledMemory',
  '--use',
  'abort=',
  '--runPasses',
  'memory-packing,remove-unused-module-elements',
];

/** The kernels to build: the module, its scalar twin, and the miner's kernel for shared memory. */
const targets = [
  { entry: 'assembly/index.ts', out: 'build/svc.wasm', flags: ['--enable', 'simd'] },
  { entry: 'assembly/index.ts', out: 'build/svc.scalar.wasm', flags: ['--disable', 'simd'] },
  {
    entry: 'assembly/pow-threads.ts',
    out: 'build/svc.pow.wasm',
    flags: [
      '--enable',
      'simd',
      '--enable',
      'threads',
      '--sharedMemory',
      '--maximumMemory',
      '65536',
    ],
  },
];

mkdirSync(join(folder, 'build'), { recursive: true });
for (const { entry, out, flags } of targets) {
  const { error, stderr } = await asc.main([
    entry,
    '--outFile',
    out,
    '--baseDir',
    folder,
    ...common,
    ...flags,
  ]);
  if (error !== null) {
    process.stderr.write(`${stderr.toString()}\n${error.message}\n`);
    process.exit(1);
  }
}

/** The kernels as text, for the entry that loads no file. */
function inlineKernel(name: string, file: string): string {
  return `export const ${name} =\n  '${readFileSync(join(folder, 'build', file), 'base64')}';\n`;
}

writeFileSync(
  join(folder, 'build', 'kernel-inline.ts'),
  inlineKernel('SIMD_KERNEL', 'svc.wasm') + inlineKernel('SCALAR_KERNEL', 'svc.scalar.wasm'),
);
