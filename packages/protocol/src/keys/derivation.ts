/**
 * Hardened derivation in the manner of SLIP-10: a node is 32 bytes of key and 32 of chain code. There is no public
 * derivation. The receiver of a node wipes it.
 */
import { concatBytes, wipe } from '../base/bytes.ts';
import { NETWORKS } from '../base/networks.ts';
import { encodeUtf8 } from '../base/utf8.ts';
import { hmacSha512 } from './hmac-sha512.ts';

export const NODE_BYTES = 64;
export const INDEX_MAX = 0x7fff_ffff;
const MASTER_KEY = 'svc ml-dsa-65 seed';

const KEY_BYTES = 32;
const HARDENED = 0x8000_0000;

/** What the master node of a network is made from: the seed itself on `mainnet`, elsewhere with the code after it. */
export function networkSeed(seed: Uint8Array, networkCode: number): Uint8Array {
  return networkCode === NETWORKS.mainnet.code
    ? seed.slice()
    : concatBytes(seed, Uint8Array.of(networkCode));
}

export function masterNode(seed: Uint8Array, key: string = MASTER_KEY): Uint8Array {
  return hmacSha512(encodeUtf8(key), seed);
}

/** The node at a path of hardened indexes below the given node, which stays as it is. */
export function deriveNode(node: Uint8Array, path: readonly number[]): Uint8Array {
  let current: Uint8Array = node.slice();
  for (const index of path) {
    const next = childNode(current, index);
    wipe(current);
    current = next;
  }
  return current;
}

/** The 32 bytes of key at a path. */
export function deriveKey(node: Uint8Array, path: readonly number[]): Uint8Array {
  const leaf = deriveNode(node, path);
  const key = leaf.slice(0, KEY_BYTES);
  wipe(leaf);
  return key;
}

function childNode(node: Uint8Array, index: number): Uint8Array {
  const data = new Uint8Array(1 + KEY_BYTES + 4);
  data.set(node.subarray(0, KEY_BYTES), 1);
  new DataView(data.buffer).setUint32(1 + KEY_BYTES, HARDENED + index);
  const child = hmacSha512(node.subarray(KEY_BYTES), data);
  wipe(data);
  return child;
}
