/**
 * Shows that a daemon knows the token without telling it: with the hash of the token, which is all that it keeps of most
 * of them, the daemon authenticates a nonce of the caller, together with the host and port at which it says to listen, so
 * that nobody can pass the answer of a daemon on as its own from another port or another address of the machine.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { digestOf } from './token.ts';

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
