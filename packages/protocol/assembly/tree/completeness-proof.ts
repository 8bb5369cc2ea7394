/**
 * Checks the proof that a list holds every output of an address, or that it has none;
 * `docs/protocol.md` 9.3.
 */
import { equalBytes } from '../codec/compare';
import { readBytes, readCount, readerAt, readerBegin, readerError, readU8 } from '../codec/reader';
import {
  BAD_FOUND_FLAG, NEIGHBOUR_OF_ADDRESS, OK, PATH_OF_EMPTY_TREE, TOO_MANY_PROVEN_OUTPUTS, UNKNOWN_PROOF_VERSION,
  WRONG_PROOF_ADDRESS,
} from '../errors';
import { OUT } from '../memory';
import { checkAddress } from '../transaction/address';
import { checkAmount } from '../transaction/amount';
import { builderBegin, builderEnd, builderPush } from './builder';
import { ADDRESS_BYTES, addressHalf, KEY_BITS, OUTPOINT_BYTES, outpointHalf, PREFIX_BITS, PREFIX_BYTES } from './key';
import { ADDRESS_AT, AMOUNT_AT, checkOutput, OUTPUT_BYTES, outputKey, outputLeaf } from './output';
import { PROOF_VERSION } from './output-proof';
import { foldPath } from './path';
import { endAtStateRoot } from './state-root';
import { SUBTREE_BYTES } from './subtree';

const OUTPUTS_MAX: i32 = 4096;
const ENTRY_BYTES: i32 = 60;

const ADDRESS_KEY: usize = memory.data(64, 16);
const NEIGHBOUR_KEY: usize = memory.data(64, 16);
const VALUE: usize = memory.data(112, 16);
const LEAF: usize = memory.data(64, 16);
const SUBTREE: usize = memory.data(64, 16);
const PREFIXED: usize = memory.data(64, 16);

/** On success `OUT` holds the address's subtree, then where the entries start and their number. */
export function completenessProofCheck(proof: usize, length: i32, address: usize, stateRoot: usize): i32 {
  readerBegin(proof, length);
  const version = readU8();
  const named = readBytes(ADDRESS_BYTES);
  if (readerError() != OK) return readerError();
  if (version != PROOF_VERSION) return UNKNOWN_PROOF_VERSION;
  let error = checkAddress(named);
  if (error != OK) return error;
  if (!equalBytes(named, address, ADDRESS_BYTES)) return WRONG_PROOF_ADDRESS;
  addressHalf(named, ADDRESS_KEY);
  const count = readCount(0, OUTPUTS_MAX, OK, TOO_MANY_PROVEN_OUTPUTS);
  if (readerError() != OK) return readerError();
  store<u32>(OUT, <u32>(readerAt() - proof), SUBTREE_BYTES);
  store<u32>(OUT, count, SUBTREE_BYTES + 4);
  error = count > 0 ? foldOutputs(named, count) : foldNeighbour();
  if (error != OK) return error;
  return endAtStateRoot(SUBTREE, stateRoot);
}

/** Rebuilds the address's subtree from its outputs and folds it to the root. */
function foldOutputs(address: usize, count: i32): i32 {
  memory.copy(VALUE + ADDRESS_AT, address, ADDRESS_BYTES);
  builderBegin();
  for (let i = 0; i < count; i++) {
    const entry = readBytes(ENTRY_BYTES);
    if (readerError() != OK) return readerError();
    let error = pushOutput(entry);
    if (error != OK) return error;
  }
  const error = builderEnd(SUBTREE);
  if (error != OK) return error;
  memory.copy(OUT, SUBTREE, SUBTREE_BYTES);
  return foldPath(ADDRESS_KEY, ADDRESS_KEY, PREFIX_BITS, SUBTREE, PREFIXED);
}

function pushOutput(entry: usize): i32 {
  memory.copy(VALUE, entry, OUTPOINT_BYTES);
  const amount = load<u64>(entry + OUTPOINT_BYTES);
  store<u64>(VALUE + AMOUNT_AT, amount);
  let error = checkAmount(amount);
  if (error != OK) return error;
  outpointHalf(entry, ADDRESS_KEY + PREFIX_BYTES);
  error = outputLeaf(ADDRESS_KEY, VALUE, LEAF);
  return error != OK ? error : builderPush(ADDRESS_KEY, LEAF);
}

/** Folds the leaf that a search for the address ends at, and shows that it is another's. */
function foldNeighbour(): i32 {
  memory.fill(OUT, 0, SUBTREE_BYTES);
  const found = readU8();
  if (found == 0) return foldEmptyTree();
  const value = readBytes(OUTPUT_BYTES);
  if (readerError() != OK) return readerError();
  if (found != 1) return BAD_FOUND_FLAG;
  let error = checkOutput(value);
  if (error != OK) return error;
  outputKey(value, NEIGHBOUR_KEY);
  if (equalBytes(NEIGHBOUR_KEY, ADDRESS_KEY, PREFIX_BYTES)) return NEIGHBOUR_OF_ADDRESS;
  error = outputLeaf(NEIGHBOUR_KEY, value, SUBTREE);
  if (error != OK) return error;
  return foldPath(NEIGHBOUR_KEY, ADDRESS_KEY, KEY_BITS, SUBTREE, PREFIXED);
}

function foldEmptyTree(): i32 {
  memory.fill(SUBTREE, 0, SUBTREE_BYTES);
  readCount(0, 0, OK, PATH_OF_EMPTY_TREE);
  return readerError();
}
