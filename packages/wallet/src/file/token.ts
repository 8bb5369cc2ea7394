/**
 * The tokens with which programs call the daemon: 256 random bits in hexadecimal, in a file that only the
 * service account may read.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { FileRefusal } from './file-refusal.ts';
import { createSecret, readSecret } from './secret-file.ts';

const TOKEN = /^[0-9a-f]{64}$/;
const TOKEN_BYTES = 32;

export function tokenPath(walletPath: string): string {
  return `${walletPath}.token`;
}

/** Reads the token, making the file on the first start. */
export function ensureToken(path: string): string {
  if (!existsSync(path)) {
    createSecret(path, new TextEncoder().encode(`${randomBytes(TOKEN_BYTES).toString('hex')}\n`));
  }
  return readToken(path);
}

export function readToken(path: string): string {
  const token = new TextDecoder().decode(readSecret(path)).trim();
  if (TOKEN.test(token)) return token;
  const found = 'does not hold a token of 64 hexadecimal characters';
  throw new FileRefusal('damaged', path, found, 'remove it; the daemon makes a new one');
}
