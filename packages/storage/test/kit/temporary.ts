/** Directories for a test, gone after it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

export function temporaryDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-storage-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
