/**
 * The key that a node's peer id is made from, kept in a file of its own so that the id outlives restarts.
 */
import { join } from 'node:path';
import { generateKeyPair, privateKeyFromProtobuf, privateKeyToProtobuf } from '@libp2p/crypto/keys';
import type { PrivateKey } from '@libp2p/interface';
import { createSecret, makeDirectory, readSecret } from 'svc-base/node';

const KEY_BYTES_MAX = 1_024;

/** Reads `peer.key` of the folder, or makes it. */
export async function openPeerKey(directory: string): Promise<PrivateKey> {
  await makeDirectory(directory);
  const path = join(directory, 'peer.key');
  const stored = await readSecret(path, KEY_BYTES_MAX);
  if (stored === undefined) {
    const created = await generateKeyPair('Ed25519');
    await createSecret(path, privateKeyToProtobuf(created));
    return created;
  }
  const key = privateKeyFromProtobuf(stored);
  if (key.type !== 'Ed25519') throw new Error(`${path} holds a key of type ${key.type}`);
  return key;
}
