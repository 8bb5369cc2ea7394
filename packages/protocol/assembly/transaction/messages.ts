/**
 * What keys sign; `docs/protocol.md` 4.5. Each message starts from the transaction id, so it covers
 * the whole body.
 */
import { hashBegin, hashLabel } from '../codec/label';
import { sha384End, sha384Update } from '../hash/sha384';
import { keyHash } from './key-hash';
import { ID_BYTES, OUTPUT_BYTES } from './layout';

const BYTE: usize = memory.data(1);
const KEY_HASH: usize = memory.data(48, 16);

/** `previousOutput` is the spent output's address followed by its amount. */
export function spendMessage(id: usize, index: i32, previousOutput: usize, out: usize): void {
  store<u8>(BYTE, <u8>index);
  hashBegin('SVC_SPEND_V1');
  sha384Update(id, ID_BYTES);
  sha384Update(BYTE, 1);
  sha384Update(previousOutput, OUTPUT_BYTES);
  sha384End(out);
}

export function operationMessage(id: usize, out: usize): void {
  hashLabel('SVC_OPERATION_V1', id, ID_BYTES, out);
}

export function possessionMessage(id: usize, consensusKey: usize, out: usize): void {
  keyHash(consensusKey, KEY_HASH);
  hashBegin('SVC_POSSESSION_V1');
  sha384Update(id, ID_BYTES);
  sha384Update(KEY_HASH, ID_BYTES);
  sha384End(out);
}
