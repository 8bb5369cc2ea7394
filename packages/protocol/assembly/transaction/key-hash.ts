/**
 * Key hashes; `docs/protocol.md` 3. The last one is kept, because the inputs of a payer show the
 * same key again and again and comparing it is far cheaper than hashing it.
 */
import { equalBytes } from '../codec/compare';
import { hashLabel } from '../codec/label';
import { ID_BYTES, PUBLIC_KEY_BYTES } from './layout';

const LAST_KEY: usize = memory.data(1952, 16);
const LAST_HASH: usize = memory.data(48, 16);

let kept: bool = false;

export function keyHash(publicKey: usize, out: usize): void {
  if (!kept || !equalBytes(LAST_KEY, publicKey, PUBLIC_KEY_BYTES)) {
    hashLabel('SVC_KEY_V1', publicKey, PUBLIC_KEY_BYTES, LAST_HASH);
    memory.copy(LAST_KEY, publicKey, PUBLIC_KEY_BYTES);
    kept = true;
  }
  memory.copy(out, LAST_HASH, ID_BYTES);
}
