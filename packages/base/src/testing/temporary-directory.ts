/**
 * Directories of tests, removed when the test has ended. Hooks of a test are called in the order in which they were
 * registered, so whatever is closed by a later hook may write into its directory once more: the end of the process
 * removes what such a hook has left.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The end of a test or suite: a `TestContext`, or `{ after }` of `node:test` in the body of a suite. */
export interface TestEnd {
  after(hook: () => void): void;
}

const MEMORY = '/dev/shm';

/** Where directories of whole networks lie: in memory that looks like a disk, where the system has that. */
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
  const path = mkdtempSync(join(parent, 'svc-test-'));
  directories.add(path);
  t?.after(() => remove(path));
  return path;
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
