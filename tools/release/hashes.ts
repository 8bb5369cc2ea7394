/**
 * The hashes of a release: `release.json` names every file of the package, `kernel.json` in the
 * repository names the kernels that the sources must build to, byte for byte.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { KERNEL_FILES, PROTOCOL } from './paths.ts';

export const KERNEL_RECORD = join(PROTOCOL, 'kernel.json');

export type Hashes = Readonly<Record<string, string>>;

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** SHA-256 of every file below a folder, by its path with `/`, in order of the paths. */
export function hashFiles(folder: string): Hashes {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
  return Object.fromEntries(paths.map((path) => [path, sha256(readFileSync(join(folder, path)))]));
}

export function builtKernels(): Hashes {
  const folder = join(PROTOCOL, 'build');
  const present = KERNEL_FILES.filter((name) => existsSync(join(folder, name)));
  return Object.fromEntries(
    present.map((name) => [name, sha256(readFileSync(join(folder, name)))]),
  );
}

export function recordedKernels(): Hashes {
  return existsSync(KERNEL_RECORD) ? JSON.parse(readFileSync(KERNEL_RECORD, 'utf8')) : {};
}

/** What differs between the kernels that were built and those on record; empty if nothing does. */
export function kernelDifferences(built: Hashes, recorded: Hashes): string[] {
  return [...new Set([...Object.keys(built), ...Object.keys(recorded)])]
    .sort()
    .filter((name) => built[name] !== recorded[name])
    .map(
      (name) =>
        `${name}: built ${built[name] ?? 'nothing'}, recorded ${recorded[name] ?? 'nothing'}`,
    );
}
