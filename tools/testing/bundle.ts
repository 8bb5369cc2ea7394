/**
 * Bundles one module and what it imports for a browser, as an application's build would.
 */
import { build } from 'esbuild';

export async function bundleForBrowser(entry: string, outFile: string): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile: outFile,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
  });
}
