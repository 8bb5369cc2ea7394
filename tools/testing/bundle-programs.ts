/**
 * Bundles the programs as they are packed, for the tests that start them as processes, and tells the tests where they
 * are. The folder lies below `node_modules`, so that the programs find what they import.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAMS_VARIABLE } from '../../packages/base/src/testing/index.ts';
import { ROOT } from '../check/repository.ts';
import { makePackageFolder } from '../pack/package-folder.ts';
import { PROGRAMS } from '../pack/public-packages.ts';

const FOLDER = join(ROOT, 'node_modules', '.cache', 'programs');

export async function bundlePrograms(): Promise<void> {
  rmSync(FOLDER, { recursive: true, force: true });
  for (const program of PROGRAMS) {
    const folder = join(FOLDER, program.name);
    mkdirSync(folder, { recursive: true });
    await makePackageFolder(program, folder);
  }
  process.env[PROGRAMS_VARIABLE] = FOLDER;
}
