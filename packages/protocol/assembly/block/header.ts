/**
 * Checks a work block's header as far as the bytes alone allow, and computes its id;
 * `docs/protocol.md` 6.1. Anchor, target and proof of work need the chain.
 */
import { equalBytes, isZero } from '../codec/compare';
import { hashLabel } from '../codec/label';
import { BAD_HEADER_LENGTH, BAD_WINDOW_END, OK, RESERVED_NOT_ZERO, UNKNOWN_HEADER_VERSION, WRONG_CHAIN_TAG } from '../errors';
import { OUT } from '../memory';
import { checkExtranonce } from './extranonce';
import {
  CHAIN_TAG_BYTES, HEADER_ANCHOR_HEIGHT, HEADER_BYTES, HEADER_CHAIN_TAG, HEADER_EXTRANONCE, HEADER_RESERVED,
  HEADER_VERSION, HEADER_WINDOW_END, REGISTRATION_CUTS, RESERVED_BYTES,
} from './layout';

/** On success the block id is in `OUT`. */
export function blockHeaderCheck(header: usize, length: i32, chainId: usize): i32 {
  if (length != HEADER_BYTES) return BAD_HEADER_LENGTH;
  if (load<u32>(header) != HEADER_VERSION) return UNKNOWN_HEADER_VERSION;
  if (!equalBytes(header + HEADER_CHAIN_TAG, chainId, CHAIN_TAG_BYTES)) return WRONG_CHAIN_TAG;
  const anchor = load<u64>(header, HEADER_ANCHOR_HEIGHT);
  const windowEnd = load<u64>(header, HEADER_WINDOW_END);
  if (windowEnd < anchor || windowEnd - anchor != REGISTRATION_CUTS) return BAD_WINDOW_END;
  if (!isZero(header + HEADER_RESERVED, RESERVED_BYTES)) return RESERVED_NOT_ZERO;
  const error = checkExtranonce(header + HEADER_EXTRANONCE);
  if (error != OK) return error;
  hashLabel('SVC_BLOCK_V1', header, HEADER_BYTES, OUT);
  return OK;
}
