/**
 * Checks a validator set and computes its id and whole stake; `docs/protocol.md` 8.4. The last
 * checked set is recognised by its bytes: many certificates follow each other under one set, and
 * hashing it would take as long as several signatures.
 */
import { compareBytes, equalBytes } from '../codec/compare';
import { hashLabel } from '../codec/label';
import { readBytes, readCount, readerBegin, readerEnd, readerError } from '../codec/reader';
import { MEMBERS_OUT_OF_ORDER, NO_VALIDATORS, OK, STAKES_TOO_LARGE, TOO_MANY_VALIDATORS, ZERO_STAKE } from '../errors';
import { OUT } from '../memory';
import { SUPPLY_MAX } from '../transaction/amount';
import { ID_BYTES } from '../transaction/layout';
import { blame, checking } from './fault';
import {
  MEMBER_BYTES, MEMBER_ID, MEMBER_STAKE, PART_SET, SET_ID, SET_SIZE, SET_TOTAL_STAKE, VALIDATORS_MAX,
} from './layout';

const KNOWN: usize = memory.data(128520, 16);
const KNOWN_ID: usize = memory.data(48, 16);

let knownBytes: i32 = 0;
let size: i32 = 0;
let totalStake: u64 = 0;

/** On success `OUT` holds the id, the whole stake and the number of members. */
export function validatorSetDecode(set: usize, length: i32): i32 {
  const error = checkSet(set, length);
  if (error != OK) return error;
  memory.copy(OUT + SET_ID, KNOWN_ID, ID_BYTES);
  store<u64>(OUT, totalStake, SET_TOTAL_STAKE);
  store<u32>(OUT, size, SET_SIZE);
  return OK;
}

/** On success the functions below return the members of this set. */
export function checkSet(set: usize, length: i32): i32 {
  checking(PART_SET);
  if (length == knownBytes && length > 0 && equalBytes(KNOWN, set, length)) return OK;
  knownBytes = 0;
  readerBegin(set, length);
  size = readCount(1, VALIDATORS_MAX, NO_VALIDATORS, TOO_MANY_VALIDATORS);
  const members = readBytes(size * MEMBER_BYTES);
  if (readerError() != OK) return readerError();
  if (readerEnd() != OK) return readerError();
  const error = checkMembers(members);
  if (error != OK) return error;
  hashLabel('SVC_SET_V1', set, length, KNOWN_ID);
  memory.copy(KNOWN, set, length);
  knownBytes = length;
  return OK;
}

function checkMembers(members: usize): i32 {
  totalStake = 0;
  for (let i = 0; i < size; i++) {
    const member = members + i * MEMBER_BYTES;
    const id = member + MEMBER_ID;
    if (i > 0 && compareBytes(id - MEMBER_BYTES, id, ID_BYTES) >= 0) return blame(MEMBERS_OUT_OF_ORDER, i);
    const stake = load<u64>(member, MEMBER_STAKE);
    if (stake == 0) return blame(ZERO_STAKE, i);
    if (stake > SUPPLY_MAX - totalStake) return blame(STAKES_TOO_LARGE, i);
    totalStake += stake;
  }
  return OK;
}

export function setId(): usize {
  return KNOWN_ID;
}

export function setSize(): i32 {
  return size;
}

/** At most the maximum supply, so three times as much does not overflow. */
export function setTotalStake(): u64 {
  return totalStake;
}
