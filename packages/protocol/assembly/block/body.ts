/**
 * Decodes a work block's body: form, binding of every transaction to the chain, and that nothing
 * occurs twice in it; `docs/protocol.md` 6.2. Whether a transaction may spend is not decided here.
 */
import { equalBytes } from '../codec/compare';
import { hashBegin, hashLabel } from '../codec/label';
import { readBytes, readCount, readCounted, readCountedLength, readerAt, readerBegin, readerEnd, readerError, readerLeft, readU8 } from '../codec/reader';
import {
  BLOCK_BODY_TOO_LARGE, DUPLICATE_PARENT, DUPLICATE_SPEND, DUPLICATE_TRANSACTION, NO_PARENTS, OK,
  TOO_MANY_PARENTS, TOO_MANY_TRANSACTIONS, TRANSACTION_TOO_LARGE, UNKNOWN_FORMAT,
} from '../errors';
import { sha384End, sha384Update } from '../hash/sha384';
import { OUT } from '../memory';
import { checkAddress } from '../transaction/address';
import { decodeTransaction } from '../transaction/decode';
import {
  ADDRESS_BYTES, ID_BYTES, OUTPOINT_BYTES, TABLE_ID, TABLE_INPUT_COUNT, TABLE_INPUTS, TABLE_MASS,
  TRANSACTION_BYTES_MAX,
} from '../transaction/layout';
import { checkExtranonce } from './extranonce';
import {
  BLOCK_BODY_ROOT, BLOCK_MASS, BLOCK_PARENT_COUNT, BLOCK_PARENTS, BLOCK_PARENTS_ROOT, BLOCK_PAYEE,
  BLOCK_TRANSACTION_COUNT, BLOCK_TRANSACTIONS, BODY_BYTES_MAX, BODY_FORMAT, ENTRIES_MAX, ENTRY_BYTES, ENTRY_WIRE,
  EXTRANONCE_BYTES, PARENTS_MAX, TRANSACTIONS_MAX,
} from './layout';

const COUNT: usize = memory.data(1);
/** Pointers to the outpoints seen: a body has room for no more than these. */
const SPENT: usize = memory.data(4 * 1232, 16);

let spentCount: i32 = 0;
let transactionIndex: i32 = -1;

/** The transaction to blame for an error of `blockBodyCheck`, or -1. */
export function blockBodyFault(): i32 {
  return transactionIndex;
}

/** On success the table of the body is in `OUT`, without its root where the host has it from elsewhere. */
export function blockBodyCheck(manifest: usize, body: usize, length: i32, hasRoot: bool): i32 {
  transactionIndex = -1;
  spentCount = 0;
  if (length > BODY_BYTES_MAX) return BLOCK_BODY_TOO_LARGE;
  readerBegin(body, length);
  let error = readPayout();
  if (error == OK) error = readParents(body);
  if (error == OK) error = readTransactions(manifest, body);
  if (error != OK) return error;
  if (!hasRoot) hashLabel('SVC_BODY_V1', body, length, OUT + BLOCK_BODY_ROOT);
  return OK;
}

function readPayout(): i32 {
  const format = readU8();
  const payout = readBytes(ADDRESS_BYTES);
  const extranonce = readBytes(EXTRANONCE_BYTES);
  if (readerError() != OK) return readerError();
  if (format != BODY_FORMAT) return UNKNOWN_FORMAT;
  const error = checkAddress(payout);
  if (error != OK) return error;
  hashLabel('SVC_PAYEE_V1', payout, ADDRESS_BYTES, OUT + BLOCK_PAYEE);
  return checkExtranonce(extranonce);
}

function readParents(body: usize): i32 {
  const count = readCount(1, PARENTS_MAX, NO_PARENTS, TOO_MANY_PARENTS);
  const first = readBytes(count * ID_BYTES);
  if (readerError() != OK) return readerError();
  for (let i = 1; i < count; i++) {
    for (let j = 0; j < i; j++) {
      if (equalBytes(first + i * ID_BYTES, first + j * ID_BYTES, ID_BYTES)) return DUPLICATE_PARENT;
    }
  }
  store<u32>(OUT, <u32>(first - body), BLOCK_PARENTS);
  store<u32>(OUT, count, BLOCK_PARENT_COUNT);
  store<u8>(COUNT, <u8>count);
  hashBegin('SVC_PARENTS_V1');
  sha384Update(COUNT, 1);
  sha384Update(first, count * ID_BYTES);
  sha384End(OUT + BLOCK_PARENTS_ROOT);
  return OK;
}

function readTransactions(manifest: usize, body: usize): i32 {
  const count = readCount(0, TRANSACTIONS_MAX, OK, TOO_MANY_TRANSACTIONS);
  let mass: u64 = 0;
  for (let i = 0; i < count; i++) {
    transactionIndex = i;
    const wire = readCounted(0, TRANSACTION_BYTES_MAX, OK, TRANSACTION_TOO_LARGE);
    const length = readCountedLength();
    if (readerError() != OK) return readerError();
    const next = readerAt();
    const left = readerLeft();
    if (i == ENTRIES_MAX) return TOO_MANY_TRANSACTIONS;
    const entry = entryOf(i);
    let error = decodeTransaction(manifest, wire, length, entry);
    if (error == OK) error = enter(i, wire, entry);
    if (error != OK) return error;
    store<u32>(entry, <u32>(wire - body), ENTRY_WIRE);
    mass += load<u64>(entry, TABLE_MASS);
    readerBegin(next, left);
  }
  transactionIndex = -1;
  store<u32>(OUT, count, BLOCK_TRANSACTION_COUNT);
  store<u64>(OUT, mass, BLOCK_MASS);
  return readerEnd();
}

/** The address of a transaction's entry, which begins with its table. */
function entryOf(index: i32): usize {
  return OUT + BLOCK_TRANSACTIONS + index * ENTRY_BYTES;
}

/** Enters the transaction just decoded, unless the body holds it or another spend of its inputs. */
function enter(index: i32, wire: usize, table: usize): i32 {
  for (let i = 0; i < index; i++) {
    if (equalBytes(entryOf(i) + TABLE_ID, table + TABLE_ID, ID_BYTES)) return DUPLICATE_TRANSACTION;
  }
  return enterSpends(wire + load<u32>(table, TABLE_INPUTS), load<i32>(table, TABLE_INPUT_COUNT));
}

/** The inputs of one transaction are distinct already: they are compared with earlier ones only. */
function enterSpends(first: usize, count: i32): i32 {
  const earlier = spentCount;
  for (let i = 0; i < count; i++) {
    const outpoint = first + i * OUTPOINT_BYTES;
    for (let j = 0; j < earlier; j++) {
      if (equalBytes(load<u32>(SPENT + (j << 2)), outpoint, OUTPOINT_BYTES)) return DUPLICATE_SPEND;
    }
    store<u32>(SPENT + (spentCount << 2), <u32>outpoint);
    spentCount++;
  }
  return OK;
}
