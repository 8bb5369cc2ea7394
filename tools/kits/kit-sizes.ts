/**
 * What a kit costs a page, and what its types make of a misspelt word.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { ROOT } from '../release/paths.ts';
import { WORD_LIST_FILE } from '../release/size.ts';
import type { Kit } from './kit-table.ts';

export interface KitSizes {
  /** Bytes after minification and gzip: of the code of a payment, and of what it loads beside it. */
  readonly payment: number;
  readonly asset: number;
  /** Of a page that reads an amount alone; null where the kit has no such call. */
  readonly amount: number | null;
  readonly misspelt: 'does not compile' | 'compiles' | 'the right one does not compile';
}

export async function measureSizes(folder: string, kit: Kit): Promise<KitSizes> {
  const { payment, amount, asset } = kit;
  return {
    payment: await bundledBytes(folder, kit, payment),
    asset: asset === null ? 0 : compressed(readFileSync(join(folder, 'node_modules', asset))),
    amount: amount === null ? null : await bundledBytes(folder, kit, amount),
    misspelt: compileMisspelt(folder, kit),
  };
}

/** The word list of recovery phrases is left out: kits that have one load it apart. */
async function bundledBytes(folder: string, kit: Kit, program: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: kit.isForBrowsers ? 'browser' : 'node',
    external: [`./${WORD_LIST_FILE}`],
    write: false,
    logLevel: 'silent',
  });
  return outputFiles.reduce((sum, { contents }) => sum + compressed(contents), 0);
}

function compressed(bytes: Uint8Array): number {
  return gzipSync(bytes, { level: 9 }).length;
}

function compileMisspelt(folder: string, { typed }: Kit): KitSizes['misspelt'] {
  const { program, word } = typed;
  if (!compiles(folder, program)) return 'the right one does not compile';
  const isAccepted = compiles(folder, program.replaceAll(word, `${word}Misspelt`));
  return isAccepted ? 'compiles' : 'does not compile';
}

function compiles(folder: string, program: string): boolean {
  const compilerOptions = {
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['esnext', 'dom'],
    types: [],
  };
  writeFileSync(join(folder, 'typed.ts'), program);
  const settings = { compilerOptions, files: ['typed.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    execFileSync(process.execPath, [compiler, '--project', folder], { stdio: 'pipe' });
    return true;
  } catch (error) {
    // Errors of the program are printed; whatever else ended the compiler is a fault of the measurement.
    if (String((error as { stdout?: Buffer }).stdout).includes('error TS')) return false;
    throw error;
  }
}
