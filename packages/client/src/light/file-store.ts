/**
 * Keeps what a light client trusts in a file, for Node. `svc-client/node`.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { TrustStore } from './trust-store.ts';

/** Keeps what is trusted in a file, which is replaced as a whole: a crash leaves the earlier text. */
export function fileStore(path: string): TrustStore {
  return {
    load: async () => {
      try {
        return await readFile(path, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    save: async (text) => {
      await writeFile(`${path}.new`, text, { mode: 0o600 });
      await rename(`${path}.new`, path);
    },
  };
}
