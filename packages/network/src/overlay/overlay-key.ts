/**
 * The key that identifies a validator on the overlay. It signs handshakes and records, and nothing that the chain
 * reads; the consensus key never leaves the signer.
 */
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { createSecret, makeDirectory, readSecret } from 'svc-base/node';
import { type KeyPair, mlDsa65 } from 'svc-wasm/kernel';

const SEED_BYTES = 32;
/** A checksum after the seed; early files have none. */
const SUM_BYTES = 4;

/** Reads `overlay.key` of the folder, or makes it. */
export async function openOverlayKey(directory: string): Promise<KeyPair> {
  await makeDirectory(directory);
  const path = join(directory, 'overlay.key');
  const stored = await readSecret(path, SEED_BYTES + SUM_BYTES);
  if (stored !== undefined) return mlDsa65.keygen(seedOf(stored, path));
  const seed = crypto.getRandomValues(new Uint8Array(SEED_BYTES));
  await createSecret(path, Buffer.concat([seed, sumOf(seed)]));
  return mlDsa65.keygen(seed);
}

function seedOf(stored: Uint8Array, path: string): Uint8Array {
  const seed = stored.subarray(0, SEED_BYTES);
  if (stored.length === SEED_BYTES) return seed;
  if (stored.length !== SEED_BYTES + SUM_BYTES)
    throw new Error(`${path} is cut short; restore a backup`);
  if (!sumOf(seed).equals(stored.subarray(SEED_BYTES)))
    throw new Error(`${path} is not what was written; restore a backup`);
  return seed;
}

function sumOf(seed: Uint8Array): Buffer {
  const sum = Buffer.alloc(SUM_BYTES);
  sum.writeUInt32BE(crc32(seed));
  return sum;
}
