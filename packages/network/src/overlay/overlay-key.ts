/**
 * The key by which validators know each other on the overlay. It signs handshakes and records, and nothing
 * that the chain looks at; the consensus key never leaves the signer.
 */
import { join } from 'node:path';
import { createSecret, makeDirectory, readSecret } from 'svc-base/node';
import { type KeyPair, mlDsa65 } from 'svc-wasm/kernel';

const SEED_BYTES = 32;

/** Reads `overlay.key` of the folder, or makes it. */
export async function openOverlayKey(directory: string): Promise<KeyPair> {
  await makeDirectory(directory);
  const path = join(directory, 'overlay.key');
  const stored = await readSecret(path, SEED_BYTES);
  if (stored !== undefined) {
    if (stored.length !== SEED_BYTES) throw new Error(`${path} is cut short; restore a backup`);
    return mlDsa65.keygen(stored);
  }
  const seed = crypto.getRandomValues(new Uint8Array(SEED_BYTES));
  await createSecret(path, seed);
  return mlDsa65.keygen(seed);
}
