/**
 * Passwords in files of their own. One line end after the password does not belong to it, since editors and
 * `echo` add it; everything else does.
 */
import { randomBytes } from 'node:crypto';
import { FileRefusal } from './file-refusal.ts';
import { createSecret, readSecret } from './secret-file.ts';

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
