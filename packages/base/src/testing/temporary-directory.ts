/**
 * Directories of tests. A test that is killed leaves its directory to the system's own cleaning of temporary files.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

/** What a `TestContext` has of this: it calls its hook when the test or suite ends. */
export interface TestEnd {
  after(hook: () => void): void;
}

/**
 * Makes an empty directory and removes it at the end of the test, or at the end of the file when no test is given.
 */
export function temporaryDirectory(t?: TestEnd, parent: string = tmpdir()): string {
  const path = mkdtempSync(join(parent, 'svc-test-'));
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  if (t === undefined) after(remove);
  else t.after(remove);
  return path;
}
