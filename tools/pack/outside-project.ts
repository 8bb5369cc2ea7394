/**
 * An empty project outside the repository into which packages are put as npm does, without the registry. The tests of one
 * process share it: making the packages takes seconds.
 */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from '../../packages/base/src/testing/index.ts';
import { ROOT } from '../release/paths.ts';
import { makeRelease } from '../release/release.ts';
import { makePackageFolder } from './package-folder.ts';
import { LIBRARIES, PROGRAMS } from './public-packages.ts';

/** The program with the most threads and data files, what a browser's developer needs, and the network of their tests. */
export const OUTSIDE_PACKAGES: readonly string[] = ['svc-miner', 'svc-client', 'svc-devnet'];

let shared: Promise<string> | undefined;

/** The folder of the project. Each test gives its files names of their own. */
export function outsideProject(): Promise<string> {
  shared ??= newProject();
  return shared;
}

async function newProject(): Promise<string> {
  const project = temporaryDirectory();
  await makeRelease(join(project, 'node_modules', 'svc-wasm'));
  for (const wish of [...PROGRAMS, ...LIBRARIES]) {
    if (!OUTSIDE_PACKAGES.includes(wish.name)) continue;
    const folder = join(project, 'node_modules', wish.name);
    await makePackageFolder(wish, folder);
    for (const name of Object.keys(manifestOf(folder).dependencies)) {
      if (name.startsWith('svc-')) continue;
      const link = join(project, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', name), link, 'dir');
    }
  }
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}');
  return project;
}

export function manifestOf(folder: string): {
  readonly dependencies: Readonly<Record<string, string>>;
} {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
