/**
 * Files that only their owner may read: wallet, password, token, state. They are made with mode 0600 and
 * never over an existing file; one that others could read, that belongs to someone else or that is a link is
 * refused, because what it holds is no secret any more. Systems without such modes skip that check.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectorySync } from 'svc-base/node';
import { FileRefusal } from '../errors.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;
const TEMPORARY_BYTES = 8;
const SECRET_BYTES_MAX = 4 << 20;

/** Makes a file that did not exist, on the disk with its name when this returns. */
export function createSecret(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openOrRefuse(path, O_WRONLY | O_CREAT | O_EXCL | noFollow());
  try {
    writeAll(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncDirectorySync(dirname(path));
}

/**
 * Replaces a file in one step: a reader sees the old bytes or the new ones. They are written under a random name that no
 * has chosen for a file of their own.
 */
export function replaceSecret(path: string, bytes: Uint8Array): void {
  const temporary = `${path}.${randomBytes(TEMPORARY_BYTES).toString('hex')}.new`;
  createSecret(temporary, bytes);
  renameSync(temporary, path);
  syncDirectorySync(dirname(path));
}

export function readSecret(path: string): Uint8Array {
  const file = openOrRefuse(path, O_RDONLY | noFollow());
  try {
    const { size } = checkStats(path, fstatSync(file));
    if (size > SECRET_BYTES_MAX) {
      throw new FileRefusal('too_large', path, `longer than ${SECRET_BYTES_MAX} bytes`);
    }
    const bytes = new Uint8Array(size);
    let at = 0;
    while (at < size) {
      const count = readSync(file, bytes, at, size - at, at);
      if (count === 0) break;
      at += count;
    }
    return bytes.subarray(0, at);
  } finally {
    closeSync(file);
  }
}

/**
 * Refuses a file that is no secret, without opening it: closing a file ends every lock that this process has
 * on it.
 */
export function checkSecret(path: string): void {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) {
    throw new FileRefusal('symlink', path, 'is a symbolic link', 'name the file itself');
  }
  checkStats(path, stats);
}

function checkStats(path: string, stats: Stats): Stats {
  if (!stats.isFile()) throw new FileRefusal('not_a_file', path, 'is not a regular file');
  if (process.platform === 'win32') return stats;
  const user = process.getuid?.();
  if (user !== undefined && stats.uid !== user) {
    const found = `belongs to user ${stats.uid}, and this program runs as ${user}`;
    throw new FileRefusal('wrong_owner', path, found, `run as user ${stats.uid}, or chown it`);
  }
  if ((stats.mode & OTHERS) !== 0) {
    const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
    const found = `can be read or changed by others (mode ${mode}, needed 0600)`;
    throw new FileRefusal('readable_by_others', path, found, `run: chmod 600 '${path}'`);
  }
  return stats;
}

function openOrRefuse(path: string, flags: number): number {
  try {
    return openSync(path, flags, OWNER_ONLY);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'ENOENT')
      throw new FileRefusal('missing', path, 'does not exist', undefined, cause);
    if (code === 'EEXIST') {
      const hint = 'name another file; nothing is ever written over an existing one';
      throw new FileRefusal('exists', path, 'exists already', hint, cause);
    }
    if (code === 'ELOOP') {
      throw new FileRefusal('symlink', path, 'is a symbolic link', 'name the file itself', cause);
    }
    throw new FileRefusal('unreadable', path, `cannot be opened (${code})`, undefined, cause);
  }
}

function noFollow(): number {
  return O_NOFOLLOW ?? 0;
}

function writeAll(file: number, bytes: Uint8Array): void {
  let at = 0;
  while (at < bytes.length) at += writeSync(file, bytes, at, bytes.length - at);
}

const PASSWORD_BYTES = 32;

export function passwordPath(walletPath: string): string {
  return `${walletPath}.password`;
}

export function readPassword(path: string): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readSecret(path));
  } catch (cause) {
    if (cause instanceof FileRefusal) throw cause;
    throw new FileRefusal('damaged', path, 'is not text in UTF-8', undefined, cause);
  }
  const password = text.replace(/\r?\n$/, '');
  if (password === '') throw new FileRefusal('damaged', path, 'holds no password');
  return password;
}

/** Makes a password file with 256 random bits. */
export function generatePassword(path: string): string {
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  createSecret(path, new TextEncoder().encode(`${password}\n`));
  return password;
}
