/**
 * Directories of tests, removed when the test has ended. Hooks of a test are called in the order in which they were
 * registered, so whatever is closed by a later hook may write into its directory once more: the end of the process
 * removes what such a hook has left. What a process that was killed has left is removed by a later run of the tests, which
 * knows from the names whose it was.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The end of a test or suite: a `TestContext`, or `{ after }` of `node:test` in the body of a suite. */
export interface TestEnd {
  after(hook: () => void): void;
}

const MEMORY = '/dev/shm';
const NAME = /^svc-test-(\d+)-/;

/** The parent of directories of whole networks: a file system in memory, where the system has one. */
export const MEMORY_PARENT: string = existsSync(MEMORY) ? MEMORY : tmpdir();

const directories = new Set<string>();
process.once('exit', () => {
  for (const path of directories) remove(path);
});

/**
 * Makes an empty directory that is removed at the end of the test. Without a test it lasts until the process ends,
 * for those that still write while they close.
 */
export function temporaryDirectory(t?: TestEnd, parent: string = tmpdir()): string {
  const path = mkdtempSync(join(parent, `svc-test-${process.pid}-`));
  directories.add(path);
  t?.after(() => remove(path));
  return path;
}

/** Removes directories whose processes are gone. One that belongs to another user stays. */
export function removeAbandoned(parents: readonly string[] = [tmpdir(), MEMORY_PARENT]): void {
  for (const parent of new Set(parents))
    for (const name of readdirSync(parent)) {
      const processId = Number(NAME.exec(name)?.[1] ?? process.pid);
      if (isRunning(processId)) continue;
      try {
        remove(join(parent, name));
      } catch {
        // It belongs to another user.
      }
    }
}

/** Signal 0 is not delivered; a process of another user refuses it. */
function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
