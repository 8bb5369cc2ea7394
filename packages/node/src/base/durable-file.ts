/**
 * A small file that is replaced as a whole: after a crash it holds the old contents or the new.
 */
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;

export function replaceFile(path: string, contents: Uint8Array | string): void {
  const temporary = `${path}.new`;
  const file = openSync(temporary, 'w', OWNER_ONLY);
  try {
    writeFileSync(file, contents);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  syncDirectory(dirname(path));
}

function syncDirectory(path: string): void {
  if (process.platform === 'win32') return; // Directories cannot be opened there.
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
