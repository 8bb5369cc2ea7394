/**
 * What a browser downloads for an entry of the package, compressed as a web server would.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { filesLoadedBy } from './bundle.ts';
import type { Release } from './release.ts';

export const BROWSER_GZIP_BYTES_MAX = 90_000;
export const WORD_LIST_FILE = 'bip39-english.js';

export interface DownloadSize {
  readonly files: readonly { readonly name: string; readonly gzipBytes: number }[];
  /** All of them without the word list. */
  readonly totalGzipBytes: number;
}

export function downloadSize(release: Release, entry: string, kernel?: string): DownloadSize {
  const names = [...filesLoadedBy(entry, release), ...(kernel === undefined ? [] : [kernel])];
  const files = names.map((name) => ({
    name,
    gzipBytes: gzipSync(readFileSync(join(release.folder, name)), { level: 9 }).length,
  }));
  const counted = files.filter(({ name }) => name !== WORD_LIST_FILE);
  return { files, totalGzipBytes: counted.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0) };
}
