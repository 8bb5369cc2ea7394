/**
 * Hashing for Merkle lists in batches (`docs/protocol.md` 8.8): a cut has thousands of leaves, and must not
 * cost a call for each. Records lie in `IN`, digests of 48 bytes are written to `OUT` in the same order.
 */
import { ascii, asciiPointer } from '../codec/label';
import { BATCH_TOO_LARGE, OK } from '../errors';
import { sha384Blocks, sha384BlocksPair, sha384Pad } from '../hash/sha384';
import { IN, OUT, OUT_BYTES } from '../memory';

const DIGEST_BYTES: i32 = 48;
const PAIR_BYTES: i32 = 2 * DIGEST_BYTES;
const BLOCK_BYTES: i32 = 128;
/** What the padding of a message takes at least. */
const PADDING_BYTES: i32 = 17;

/** What a leaf is about; the order is that of `LIST_LEAVES` on the host. */
const LEAF_OUTCOME: i32 = 0;

/** The messages of two hashes: label, bytes and padding. */
const MESSAGE_BYTES: i32 = 5 * BLOCK_BYTES;
const MESSAGE: usize = memory.data(640, 16);
const OTHER_MESSAGE: usize = memory.data(640, 16);

/** Writes the message of the label that was written last and these bytes. Returns its blocks. */
function writeMessage(message: usize, label: i32, bytes: usize, length: i32): i32 {
  const end = label + length;
  const blocks = (end + PADDING_BYTES + BLOCK_BYTES - 1) / BLOCK_BYTES;
  memory.copy(message, asciiPointer(), label);
  memory.copy(message + label, bytes, length);
  memory.fill(message + end, 0, blocks * BLOCK_BYTES - end);
  sha384Pad(message, end, blocks);
  return blocks;
}

/**
 * Records `length u16 | bytes`, of the size of an outcome with eight payers at most. Neighbours of as many blocks are hashed
 * as a pair.
 */
export function listLeaves(kind: i32, count: i32): i32 {
  if (<u32>count > <u32>(OUT_BYTES / DIGEST_BYTES)) return BATCH_TOO_LARGE;
  const label = ascii(kind == LEAF_OUTCOME ? 'SVC_OUTCOME_V1' : 'SVC_CHANGE_V1');
  const lengthMax = MESSAGE_BYTES - label - PADDING_BYTES;
  let at = IN;
  let waiting = 0;
  for (let i = 0; i < count; i++) {
    const length = <i32>load<u16>(at);
    if (length > lengthMax) return BATCH_TOO_LARGE;
    const out = OUT + i * DIGEST_BYTES;
    const blocks = writeMessage(waiting == 0 ? MESSAGE : OTHER_MESSAGE, label, at + 2, length);
    if (waiting == blocks) {
      sha384BlocksPair(MESSAGE, OTHER_MESSAGE, blocks, out - DIGEST_BYTES, out);
      waiting = 0;
    } else if (waiting == 0) {
      waiting = blocks;
    } else {
      sha384Blocks(MESSAGE, waiting, out - DIGEST_BYTES);
      sha384Blocks(OTHER_MESSAGE, blocks, out);
      waiting = 0;
    }
    at += 2 + length;
  }
  if (waiting > 0) sha384Blocks(MESSAGE, waiting, OUT + (count - 1) * DIGEST_BYTES);
  return OK;
}

/** Nodes over pairs of digests. */
export function listNodes(count: i32): i32 {
  if (<u32>count > <u32>(OUT_BYTES / DIGEST_BYTES)) return BATCH_TOO_LARGE;
  const label = ascii('SVC_LIST_V1');
  for (let i = 0; i < count; i += 2) {
    const pair = IN + i * PAIR_BYTES;
    const out = OUT + i * DIGEST_BYTES;
    const blocks = writeMessage(MESSAGE, label, pair, PAIR_BYTES);
    if (i + 1 == count) {
      sha384Blocks(MESSAGE, blocks, out);
    } else {
      writeMessage(OTHER_MESSAGE, label, pair + PAIR_BYTES, PAIR_BYTES);
      sha384BlocksPair(MESSAGE, OTHER_MESSAGE, blocks, out, out + DIGEST_BYTES);
    }
  }
  return OK;
}
