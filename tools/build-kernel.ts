/**
 * Compiles `packages/protocol/assembly` into the kernel and its twins.
 *
 * No `-O` flag on purpose: Binaryen's reordering undoes the hand-interleaved kernels that V8
 * keeps as written. Passes that leave the order of instructions alone are welcome: they
 * make the module smaller by a sixth, compressed.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
  [
    ...['simplify-globals', 'memory-packing', 'remove-unused-module-elements'],
    ...['coalesce-locals', 'reorder-locals', 'vacuum'],
  ].join(','),
];

/** The kernels to build: the module, its scalar twin, and the miner's kernel for shared memory. */
const targets = [
  { entry: 'assembly/index.ts', out: 'svc.wasm', flags: ['--enable', 'simd'] },
  { entry: 'assembly/index.ts', out: 'svc.scalar.wasm', flags: ['--disable', 'simd'] },
  {
    entry: 'assembly/pow-threads.ts',
    out: 'svc.pow.wasm',
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

/**
 * Writes what the host code knows about the kernels it belongs to: their hashes and exports, so
 * that a loader can refuse any other file, and their bytes as text for the entry that loads none.
 */
function writeKernelFacts(buildFolder: string): void {
  const read = (file: string) => readFileSync(join(buildFolder, file));
  const hash = (file: string) => createHash('sha256').update(read(file)).digest('hex');
  const names = WebAssembly.Module.exports(new WebAssembly.Module(read('svc.wasm'))).map(
    ({ name }) => name,
  );
  const facts = [
    `export const KERNEL_SHA256: readonly string[] = ${JSON.stringify([hash('svc.wasm'), hash('svc.scalar.wasm')])};`,
    `export const KERNEL_EXPORTS: readonly string[] = ${JSON.stringify(names.sort())};`,
  ];
  const lines = (file: string) =>
    (
      read(file)
        .toString('base64')
        .match(/.{1,100}/g) ?? []
    ).map((line) => `  '${line}',`);
  const inline = [
    ...['export const SIMD_KERNEL: string = [', ...lines('svc.wasm'), "].join('');"],
    ...['export const SCALAR_KERNEL: string = [', ...lines('svc.scalar.wasm'), "].join('');"],
  ];
  writeFileSync(join(buildFolder, 'kernel-facts.ts'), `${facts.join('\n')}\n`);
  writeFileSync(join(buildFolder, 'kernel-inline.ts'), `${inline.join('\n')}\n`);
}

/** Everything is made aside and moved in at once, so that no reader meets half of a build. */
const buildFolder = join(folder, 'build');
const aside = join(buildFolder, `next-${process.pid}`);
mkdirSync(aside, { recursive: true });
for (const { entry, out, flags } of targets) {
  const { error } = await asc.main(
    [
      entry,
      '--outFile',
      join('build', `next-${process.pid}`, out),
      '--baseDir',
      folder,
      ...common,
      ...flags,
    ],
    { stderr: process.stderr },
  );
  if (error !== null) {
    process.stderr.write(`${error.message}\n`);
    rmSync(aside, { recursive: true });
    process.exit(1);
  }
}
writeKernelFacts(aside);
for (const name of readdirSync(aside)) renameSync(join(aside, name), join(buildFolder, name));
rmSync(aside, { recursive: true });
