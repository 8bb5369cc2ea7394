/**
 * Builds the published form of `svc-wasm` in `packages/protocol/dist`.
 *
 * Usage: npm run build [-- --record | --check]
 *
 * The kernels must be those that `packages/protocol/kernel.json` names; `--record` writes that file
 * from the kernels that were built, after their sources have changed on purpose. `--check` stops
 * after that comparison.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  builtKernels,
  KERNEL_RECORD,
  kernelDifferences,
  recordedKernels,
} from './release/hashes.ts';
import { PROTOCOL } from './release/paths.ts';
import { makeRelease } from './release/release.ts';
import { type CompressedSize, downloadSize, minifiedSize } from './release/size.ts';

function checkKernels(record: boolean): boolean {
  const built = builtKernels();
  const differences = kernelDifferences(built, recordedKernels());
  if (differences.length === 0) return true;
  if (record) {
    writeFileSync(KERNEL_RECORD, `${JSON.stringify(built, null, 2)}\n`);
    process.stdout.write('recorded the kernels in packages/protocol/kernel.json\n');
    return true;
  }
  process.stderr.write(`the kernels are not those on record:\n  ${differences.join('\n  ')}\n`);
  process.stderr.write('If their sources changed on purpose: npm run build -- --record\n');
  return false;
}

async function buildRelease(): Promise<void> {
  const release = await makeRelease(join(PROTOCOL, 'dist'));
  const { files, total } = downloadSize(release, 'browser.js', 'svc.wasm');
  const line = (name: string, { gzip, brotli }: CompressedSize) => {
    const [first, second] = [gzip, brotli].map((bytes) => (bytes / 1024).toFixed(1).padStart(7));
    process.stdout.write(`  ${name.padEnd(24)} ${first} KiB ${second} KiB\n`);
  };
  process.stdout.write('packages/protocol/dist; a browser loads, with gzip and with Brotli:\n');
  for (const { name, size } of files) line(name, size);
  line('without the word list', total);
  line('the same, minified', await minifiedSize(release, 'browser.js', 'svc.wasm'));
}

if (!checkKernels(process.argv.includes('--record'))) process.exitCode = 1;
else if (!process.argv.includes('--check')) await buildRelease();
