/**
 * Moves a folder, also to another file system, where it cannot be renamed and is copied. After a crash the target is whole or
 * not there; what was copied until then is called `<target>.new`.
 */
import { renameSync, rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory, syncTreeSync } from 'svc-base/node';

/** Replaces what is at the target. */
export async function moveFolder(
  from: string,
  to: string,
  rename: (from: string, to: string) => void = renameSync,
): Promise<void> {
  rmSync(to, { recursive: true, force: true });
  try {
    rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copy(from, to);
  }
  await syncDirectory(dirname(to));
  rmSync(from, { recursive: true, force: true });
}

async function copy(from: string, to: string): Promise<void> {
  const unfinished = `${to}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  try {
    await cp(from, unfinished, { recursive: true, preserveTimestamps: true });
    syncTreeSync(unfinished);
    renameSync(unfinished, to);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
}
