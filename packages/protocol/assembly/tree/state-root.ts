/**
 * The state root; `docs/protocol.md` 9.2.
 */
import { equalBytes } from '../codec/compare';
import { hashBegin } from '../codec/label';
import { readBytes, readerEnd } from '../codec/reader';
import { OK, WRONG_STATE_ROOT } from '../errors';
import { sha384End, sha384Update } from '../hash/sha384';
import { SUBTREE_BYTES } from './subtree';

const ROOT_BYTES: i32 = 48;
/** What a proof carries of the rest of the state: three subtrees and the totals root. */
const OTHER_ROOTS_BYTES: i32 = 3 * 64 + 48;

const ROOT: usize = memory.data(48, 16);

/** Reads the end of a proof and compares the state root that follows with the one expected. */
export function endAtStateRoot(outputs: usize, expected: usize): i32 {
  const others = readBytes(OTHER_ROOTS_BYTES);
  const error = readerEnd();
  if (error != OK) return error;
  hashBegin('SVC_STATE_V1');
  sha384Update(outputs, SUBTREE_BYTES);
  sha384Update(others, OTHER_ROOTS_BYTES);
  sha384End(ROOT);
  return equalBytes(ROOT, expected, ROOT_BYTES) ? OK : WRONG_STATE_ROOT;
}
