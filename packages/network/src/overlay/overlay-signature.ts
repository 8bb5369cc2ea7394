/**
 * Signatures with overlay keys: of handshakes and of records, under different labels.
 */
import { CONTEXTS, contextBytes, isRefusal } from 'svc-wasm/base';
import { type KeyPair, mlDsa65 } from 'svc-wasm/kernel';

const CONTEXT = contextBytes(CONTEXTS.overlay);

export function verifies(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  try {
    return mlDsa65.verify(publicKey, message, signature, { context: CONTEXT });
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

export function signOverlay(key: KeyPair, message: Uint8Array): Uint8Array {
  return mlDsa65.sign(key.secretKey, message, { context: CONTEXT });
}
