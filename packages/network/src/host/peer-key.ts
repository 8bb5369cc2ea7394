/**
 * The key that a node's peer id is made from, kept in a file of its own so that the id outlives restarts.
 */
import { join } from 'node:path';
import { generateKeyPair, privateKeyFromProtobuf, privateKeyToProtobuf } from '@libp2p/crypto/keys';
import type { PrivateKey } from '@libp2p/interface';
import { createSecret, makeDirectory, readSecret } from 'svc-base/node';
import { messageOf } from 'svc-base/pure';

const KEY_BYTES_MAX = 1_024;
const TRIED = new Uint8Array(32);

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
  try {
    return await checked(privateKeyFromProtobuf(stored));
  } catch (cause) {
    const advice = 'restore a backup, or move it away: the node is another peer then';
    throw new Error(`${path} is no peer key (${messageOf(cause)}); ${advice}`, { cause });
  }
}

/** The file has both halves of the key: if one was changed, signatures could not be verified. */
async function checked(key: PrivateKey): Promise<PrivateKey> {
  if (key.type !== 'Ed25519') throw new Error(`it is of type ${key.type}`);
  const signature = await key.sign(TRIED);
  if (!(await key.publicKey.verify(TRIED, signature))) throw new Error('its halves do not fit');
  return key;
}
