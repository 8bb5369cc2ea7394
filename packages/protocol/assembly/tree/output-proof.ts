/**
 * Checks the proof that an output is part of the state; `docs/protocol.md` 9.3.
 */
import { readBytes, readerBegin, readerError, readU8 } from '../codec/reader';
import { OK, UNKNOWN_PROOF_VERSION } from '../errors';
import { OUT } from '../memory';
import { KEY_BITS } from './key';
import { checkOutput, OUTPUT_BYTES, outputKey, outputLeaf } from './output';
import { foldPath } from './path';
import { endAtStateRoot } from './state-root';

export const PROOF_VERSION: u32 = 1;

const KEY: usize = memory.data(64, 16);
const SUBTREE: usize = memory.data(64, 16);

/** On success the address's own subtree, with its balance and number of outputs, is in `OUT`. */
export function outputProofCheck(proof: usize, length: i32, stateRoot: usize): i32 {
  readerBegin(proof, length);
  const version = readU8();
  const value = readBytes(OUTPUT_BYTES);
  if (readerError() != OK) return readerError();
  if (version != PROOF_VERSION) return UNKNOWN_PROOF_VERSION;
  let error = checkOutput(value);
  if (error != OK) return error;
  outputKey(value, KEY);
  error = outputLeaf(KEY, value, SUBTREE);
  if (error != OK) return error;
  error = foldPath(KEY, KEY, KEY_BITS, SUBTREE, OUT);
  if (error != OK) return error;
  return endAtStateRoot(SUBTREE, stateRoot);
}
