/**
 * The tokens with which programs call the daemon: 256 random bits in hexadecimal, in a file that only the
 * service account may read.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { FileRefusal } from '../errors.ts';
import { createSecret, readSecret } from './secret-file.ts';

const TOKEN = /^[0-9a-f]{64}$/;
const TOKEN_BYTES = 32;

export function tokenPath(walletPath: string): string {
  return `${walletPath}.token`;
}

/** Where the key is that events of a webhook are signed with. */
export function webhookSecretPath(walletPath: string): string {
  return `${walletPath}.webhook-secret`;
}

export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex');
}

/** SHA-256 of a token, in hexadecimal. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export function writeToken(path: string, token: string): void {
  createSecret(path, new TextEncoder().encode(`${token}\n`));
}

/** Reads the token, making the file on the first start. */
export function ensureToken(path: string): string {
  if (!existsSync(path)) writeToken(path, newToken());
  return readToken(path);
}

export function readToken(path: string): string {
  const token = new TextDecoder().decode(readSecret(path)).trim();
  if (TOKEN.test(token)) return token;
  const found = 'does not hold a token of 64 hexadecimal characters';
  throw new FileRefusal('damaged', path, found, 'remove it; the daemon makes a new one');
}

const NONCE = /^[0-9a-f]{64}$/;
const NONCE_BYTES = 32;

export function newNonce(): string {
  return randomBytes(NONCE_BYTES).toString('hex');
}

export function isNonce(text: string): boolean {
  return NONCE.test(text);
}

/** The proof for the token of this digest, in hexadecimal; `host` has the port, as in a URL. */
export function proveDigest(digest: string, nonce: string, host: string): string {
  return createHmac('sha256', digest).update(`svc-wallet daemon at ${host} ${nonce}`).digest('hex');
}

export function proveToken(token: string, nonce: string, host: string): string {
  return proveDigest(digestOf(token), nonce, host);
}

/** Whether one of the proofs of an answer is that of this token. */
export function hasTokenProof(
  proofs: unknown,
  token: string,
  nonce: string,
  host: string,
): boolean {
  if (!Array.isArray(proofs)) return false;
  const expected = Buffer.from(proveToken(token, nonce, host));
  return proofs.some((proof) => {
    const found = Buffer.from(typeof proof === 'string' ? proof : '');
    return found.length === expected.length && timingSafeEqual(found, expected);
  });
}
