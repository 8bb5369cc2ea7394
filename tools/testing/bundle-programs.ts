/**
 * Bundles the programs as they are packed, for the tests that start them as processes, and says to the tests where they
 * are. Each run has a folder of its own, so that two runs in one checkout do not take each other's programs away. The
 * folders are below `node_modules`, so that the programs find what they import.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../packages/base/src/node/process-life.ts';
import { PROGRAMS_VARIABLE } from '../../packages/base/src/testing/index.ts';
import { ROOT } from '../check/repository.ts';
import { makePackageFolder } from '../pack/package-folder.ts';
import { PROGRAMS } from '../pack/public-packages.ts';

const FOLDERS = join(ROOT, 'node_modules', '.cache', 'programs');

export async function bundlePrograms(): Promise<void> {
  removeAbandoned(FOLDERS);
  const own = join(FOLDERS, String(process.pid));
  process.once('exit', () => remove(own));
  for (const program of PROGRAMS) {
    const folder = join(own, program.name);
    mkdirSync(folder, { recursive: true });
    await makePackageFolder(program, folder);
  }
  process.env[PROGRAMS_VARIABLE] = own;
}

/** Removes the folders of runs that were killed: each has the number of its process for a name. */
export function removeAbandoned(folders: string): void {
  mkdirSync(folders, { recursive: true });
  for (const name of readdirSync(folders))
    if (!isOfOther(Number(name))) remove(join(folders, name));
}

function isOfOther(pid: number): boolean {
  return Number.isInteger(pid) && pid > 0 && pid !== process.pid && isAlive(pid);
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
