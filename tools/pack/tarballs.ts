/**
 * Packs every public package into a tarball, with the SHA-256 of each in `SHA256SUMS`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../release/hashes.ts';
import { makeRelease } from '../release/release.ts';
import { makePackageFolder } from './package-folder.ts';
import { LIBRARIES, PROGRAMS } from './public-packages.ts';

const PROTOCOL_PACKAGE = 'svc-wasm';

export const PACKAGE_NAMES: readonly string[] = [
  PROTOCOL_PACKAGE,
  ...[...LIBRARIES, ...PROGRAMS].map(({ name }) => name),
];

export interface Tarball {
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
}

/** Makes the tarballs of the named packages in a folder that is emptied first; all of them unless named. */
export async function makeTarballs(
  folder: string,
  names: readonly string[] = PACKAGE_NAMES,
): Promise<readonly Tarball[]> {
  rmSync(folder, { recursive: true, force: true });
  const tarballs: Tarball[] = [];
  for (const name of names) {
    const source = join(folder, 'unpacked', name);
    mkdirSync(source, { recursive: true });
    const wish = [...LIBRARIES, ...PROGRAMS].find((each) => each.name === name);
    if (name === PROTOCOL_PACKAGE) await makeRelease(source);
    else if (wish !== undefined) await makePackageFolder(wish, source);
    else throw new RangeError(`there is no public package ${name}`);
    tarballs.push(pack(name, source, folder));
  }
  const lines = tarballs.map(
    ({ file }) => `${sha256(readFileSync(join(folder, file)))}  ${file}\n`,
  );
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
  return tarballs;
}

function pack(name: string, source: string, folder: string): Tarball {
  const flags = ['pack', '--json', '--ignore-scripts', '--loglevel', 'error'];
  const text = execFileSync('npm', [...flags, '--pack-destination', folder], {
    cwd: source,
    encoding: 'utf8',
  });
  const [packed] = JSON.parse(text) as { filename: string; size: number }[];
  if (packed === undefined) throw new Error(`npm packed nothing of ${name}`);
  return { name, file: packed.filename, bytes: packed.size };
}
