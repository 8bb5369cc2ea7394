/**
 * The files that this process has open, so that tests see what was left so. The system tells it on Linux alone; elsewhere
 * there are none to be seen.
 */
import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';

const DESCRIPTORS = '/proc/self/fd';

/** The paths below a directory that are open, each as often as it is. */
export function openFilesIn(directory: string): string[] {
  if (!existsSync(DESCRIPTORS)) return [];
  const below = `${realpathSync(directory)}${sep}`;
  return openPaths().filter((path) => path.startsWith(below));
}

function openPaths(): string[] {
  return readdirSync(DESCRIPTORS).flatMap((name) => {
    try {
      return [readlinkSync(`${DESCRIPTORS}/${name}`)];
    } catch {
      return []; // The listing itself was a file.
    }
  });
}
