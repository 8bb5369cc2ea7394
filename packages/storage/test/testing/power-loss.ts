/**
 * Watches what a program brings to the disk with a sync of its own, and leaves of a folder what a loss of power would
 * leave if nothing else had reached the disk. What the engine syncs by itself is not seen, so this is the worst case.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

export class WatchedSyncs {
  readonly #paths = new Map<number, string>();
  /** How long each file and folder was when it was synced last; a folder counts the names in it. */
  readonly #synced = new Map<string, readonly string[] | number>();

  constructor(t: TestContext) {
    const { openSync, fsyncSync } = fs;
    t.mock.method(fs, 'openSync', (...opening: Parameters<typeof openSync>) => {
      const file = openSync(...opening);
      this.#paths.set(file, String(opening[0]));
      return file;
    });
    t.mock.method(fs, 'fsyncSync', (file: number) => {
      fsyncSync(file);
      const path = this.#paths.get(file);
      if (path === undefined) return;
      const isFolder = fs.fstatSync(file).isDirectory();
      this.#synced.set(path, isFolder ? fs.readdirSync(path) : fs.fstatSync(file).size);
    });
    syncBuiltinESMExports();
    t.after(() => {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    });
  }

  losePower(folder: string): void {
    const names = this.#synced.get(folder);
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const isNamed = Array.isArray(names) && names.includes(entry.name);
      const bytes = this.#synced.get(path);
      if (!isNamed) fs.rmSync(path, { recursive: true });
      else if (entry.isDirectory()) this.losePower(path);
      else fs.truncateSync(path, typeof bytes === 'number' ? bytes : 0);
    }
  }
}
