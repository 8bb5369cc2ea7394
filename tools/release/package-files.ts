/**
 * The files of the published package that are not code: its manifest, licences and read-me.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROTOCOL, ROOT } from './paths.ts';

interface SourceManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
}

export const NODE_MIN = '>=20.19';

/** The package has no dependencies: what it needs is inside the bundle. */
export function publishedManifest(kernels: readonly string[]): string {
  const source = JSON.parse(readFileSync(join(PROTOCOL, 'package.json'), 'utf8')) as SourceManifest;
  const { name, version, description, license } = source;
  const entry = (file: string) => ({
    types: `./types/src/entry/${file}.d.ts`,
    default: `./${file}.js`,
  });
  const manifest = {
    name,
    version,
    description,
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: NODE_MIN },
    exports: {
      '.': { browser: entry('browser'), node: entry('node'), default: entry('browser') },
      './inline': entry('inline'),
      './typed': { types: './types/src/typed/index.d.ts', default: './typed.js' },
      './base': { types: './types/src/base/index.d.ts', default: './base.js' },
      './protocol': { types: './types/src/protocol.d.ts', default: './protocol.js' },
      './kernel': { types: './types/src/kernel/index.d.ts', default: './kernel.js' },
      './error-codes': {
        types: './types/src/base/error-codes.d.ts',
        default: './error-codes.js',
      },
      ...Object.fromEntries(kernels.map((file) => [`./${file}`, `./${file}`])),
      './release.json': './release.json',
      './package.json': './package.json',
    },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

export function thirdPartyLicences(packages: readonly string[]): string {
  const parts = packages.map((name) => {
    const folder = join(ROOT, 'node_modules', name);
    const { version } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as SourceManifest;
    return `${name} ${version}\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8').trim()}\n`;
  });
  return `Code of these packages is inside svc-wasm.\n\n${parts.join('\n---\n\n')}`;
}
