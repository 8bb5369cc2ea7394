/**
 * One file of a child process and all it imports: starting from hundreds of files is most of what a
 * process that is soon killed would do.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const KERNEL_FOLDER_FROM = new URL('../../../protocol/src/entry/node.ts', import.meta.url).href;

export async function bundleChild(file: string, directory: string): Promise<string> {
  const outfile = join(directory, 'child.mjs');
  const engine = createRequire(import.meta.url).resolve('classic-level');
  await build({
    entryPoints: [fileURLToPath(new URL(file, import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node26',
    logLevel: 'error',
    define: { 'import.meta.url': JSON.stringify(KERNEL_FOLDER_FROM) },
    alias: { 'classic-level': engine },
    external: [engine],
  });
  return outfile;
}
