/**
 * Checks a cut's header as far as the bytes alone allow, and computes the cut id; `docs/protocol.md`
 * 8.1. Whether the fields follow from the chain is not checked.
 */
import { BODY_BYTES_MAX } from '../block/layout';
import { hashLabel } from '../codec/label';
import {
  BAD_CUT_HEADER_LENGTH, BAD_CUT_PROPOSER, OK, TOO_MANY_REGISTERED_BLOCKS, TOO_MANY_REGISTERED_BYTES,
  UNKNOWN_CUT_VERSION,
} from '../errors';
import { OUT } from '../memory';
import { checking } from './fault';
import {
  CUT_HEADER_BYTES, CUT_HEADER_VERSION, CUT_PROPOSER, CUT_REGISTERED_BYTES, CUT_REGISTERED_COUNT, PART_HEADER,
  REGISTERED_BLOCKS_MAX, VALIDATORS_MAX,
} from './layout';

/** On success the cut id is in `OUT`. */
export function cutHeaderDecode(header: usize, length: i32): i32 {
  return checkHeader(header, length, OUT);
}

/** On success `id` receives the cut id. */
export function checkHeader(header: usize, length: i32, id: usize): i32 {
  checking(PART_HEADER);
  if (length != CUT_HEADER_BYTES) return BAD_CUT_HEADER_LENGTH;
  if (load<u32>(header) != CUT_HEADER_VERSION) return UNKNOWN_CUT_VERSION;
  if (<i32>load<u16>(header, CUT_PROPOSER) >= VALIDATORS_MAX) return BAD_CUT_PROPOSER;
  const blocks = load<u32>(header, CUT_REGISTERED_COUNT);
  if (blocks > <u32>REGISTERED_BLOCKS_MAX) return TOO_MANY_REGISTERED_BLOCKS;
  if (load<u32>(header, CUT_REGISTERED_BYTES) > blocks * BODY_BYTES_MAX) return TOO_MANY_REGISTERED_BYTES;
  hashLabel('SVC_CUT_V1', header, CUT_HEADER_BYTES, id);
  return OK;
}
