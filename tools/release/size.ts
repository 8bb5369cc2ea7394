/**
 * What a browser downloads for an entry of the package, compressed as a web server would: the files as they are
 * released, and what a bundler that minifies makes of them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { filesLoadedBy } from './bundle.ts';
import type { Release } from './release.ts';

/** Budgets for the code and one kernel, the word list apart. */
export const RELEASED_BYTES_MAX: CompressedSize = { gzip: 131_000, brotli: 112_000 };
export const MINIFIED_BYTES_MAX: CompressedSize = { gzip: 90_000, brotli: 80_000 };
/** The size limits of single uses in a page that a bundler minifies, compressed with gzip, without kernel and word list. */
export const WISHES: readonly Wish[] = [
  { names: ['parseAmount'], entry: 'browser.js', gzipMax: 3_000 },
  { names: ['parseAmount'], entry: 'typed.js', gzipMax: 3_000 },
  {
    names: [
      ...['init', 'parseAmount', 'validateManifest', 'encodeTransactionBody', 'quoteTransaction'],
      ...['spendMessage', 'encodeWitness', 'assembleTransaction', 'verifyTransaction'],
      ...['addressFromPublicKey', 'WalletRoot'],
    ],
    entry: 'browser.js',
    gzipMax: 45_000,
  },
  {
    names: [
      ...['init', 'certifyCut', 'advanceValidatorSet', 'checkUtxoProof'],
      ...['checkAddressCompleteness', 'verifyTransaction'],
    ],
    entry: 'browser.js',
    gzipMax: 28_000,
  },
];

export interface Wish {
  readonly names: readonly string[];
  readonly entry: string;
  readonly gzipMax: number;
}

export const WORD_LIST_FILE = 'bip39-english.js';

export interface CompressedSize {
  readonly gzip: number;
  readonly brotli: number;
}

export interface DownloadSize {
  readonly files: readonly { readonly name: string; readonly size: CompressedSize }[];
  /** All of them without the word list. */
  readonly total: CompressedSize;
}

export function compressedSize(bytes: Uint8Array): CompressedSize {
  return {
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes).length,
  };
}

export function downloadSize(release: Release, entry: string, kernel?: string): DownloadSize {
  const names = [...filesLoadedBy(entry, release), ...(kernel === undefined ? [] : [kernel])];
  const files = names.map((name) => ({
    name,
    size: compressedSize(readFileSync(join(release.folder, name))),
  }));
  const counted = files.filter(({ name }) => name !== WORD_LIST_FILE);
  return { files, total: sumOf(counted.map(({ size }) => size)) };
}

/** Everything that an entry exports in one minified file, and the kernel; the word list apart. */
export async function minifiedSize(
  release: Release,
  entry: string,
  kernel: string,
): Promise<CompressedSize> {
  const { outputFiles } = await build({
    entryPoints: [join(release.folder, entry)],
    bundle: true,
    minify: true,
    format: 'esm',
    external: ['node:*', `./${WORD_LIST_FILE}`],
    write: false,
    logLevel: 'silent',
  });
  const code = outputFiles.map(({ contents }) => compressedSize(contents));
  return sumOf([...code, compressedSize(readFileSync(join(release.folder, kernel)))]);
}

/** What a bundler that minifies makes of a program that imports some names. */
export async function bundleOf(release: Release, { names, entry }: Wish): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { ${names.join(', ')} } from './${entry}';`,
      resolveDir: release.folder,
    },
    bundle: true,
    minify: true,
    format: 'esm',
    external: [`./${WORD_LIST_FILE}`],
    write: false,
    logLevel: 'silent',
  });
  return (outputFiles[0] as { readonly contents: Uint8Array }).contents;
}

function sumOf(sizes: readonly CompressedSize[]): CompressedSize {
  return {
    gzip: sizes.reduce((sum, { gzip }) => sum + gzip, 0),
    brotli: sizes.reduce((sum, { brotli }) => sum + brotli, 0),
  };
}
