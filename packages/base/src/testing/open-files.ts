/**
 * The files that this process has open, so that tests see what was left open. Only Linux lists them; elsewhere
 * there are none to be seen.
 */
import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';

const DESCRIPTORS = '/proc/self/fd';

/** The open paths below a directory, each as often as it is open. */
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
