/**
 * Makes the published form of `svc-wasm` in a folder: bundles, declarations, kernels, manifest,
 * licences, and last `release.json` with the SHA-256 of every other file.
 */
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bundle } from './bundle.ts';
import { bundle } from './bundle.ts';
import { emitDeclarations } from './declarations.ts';
import { builtKernels, hashFiles } from './hashes.ts';
import { publishedManifest, thirdPartyLicences } from './package-files.ts';
import { PROTOCOL, ROOT } from './paths.ts';

export interface Release extends Bundle {
  readonly folder: string;
}

export async function makeRelease(folder: string): Promise<Release> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const kernels = Object.keys(builtKernels());
  const bundled = await bundle(folder);
  emitDeclarations(join(folder, 'types'));
  for (const name of kernels) copyFileSync(join(PROTOCOL, 'build', name), join(folder, name));
  writeFileSync(join(folder, 'package.json'), publishedManifest(kernels));
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), thirdPartyLicences(bundled.packages));
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  copyFileSync(join(import.meta.dirname, 'published-readme.md'), join(folder, 'README.md'));
  const hashes = { api_version: 1, algorithm: 'sha256', files: hashFiles(folder) };
  writeFileSync(join(folder, 'release.json'), `${JSON.stringify(hashes, null, 2)}\n`);
  return { ...bundled, folder };
}
