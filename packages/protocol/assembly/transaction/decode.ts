/**
 * Decodes a body or a whole transaction into a table: form, limits, binding and mass, without
 * looking at what is spent. `docs/protocol.md` 4.1 and 4.4.
 */
import { readBytes, readerBegin, readerEnd, readerError, readerFail, readU8 } from '../codec/reader';
import { OK, TRANSACTION_TOO_LARGE, UNKNOWN_FORMAT } from '../errors';
import { readBody } from './body';
import { faultBegin } from './fault';
import {
  MANIFEST_TRANSACTION_BYTES_MAX, OPERATION_NONE, SIGNATURE_BYTES, TABLE_BYTES, TABLE_INPUT_COUNT, TABLE_OPERATION,
  TABLE_POSSESSION, TABLE_REPEATED, TABLE_SIGNATURES, TABLE_WIRE_BYTES, TABLE_WITNESS_COUNT, TABLE_WITNESSES, TRANSACTION_BYTES_MAX,
  WIRE_FORMAT, WITNESS_ENTRY_BYTES, WITNESS_SIGNATURES,
} from './layout';
import { weigh } from './mass';
import { needsPossession } from './operation';
import { readWitness } from './witness';

export function transactionBytesMax(manifest: usize): i32 {
  return min(TRANSACTION_BYTES_MAX, load<i32>(manifest, MANIFEST_TRANSACTION_BYTES_MAX));
}

function begin(manifest: usize, pointer: usize, length: i32, table: usize): void {
  faultBegin();
  memory.fill(table, 0, TABLE_BYTES);
  readerBegin(pointer, length);
  if (length > transactionBytesMax(manifest)) readerFail(TRANSACTION_TOO_LARGE);
}

/** Inputs, and one more for an operation. */
export function witnessesOf(table: usize): i32 {
  return load<i32>(table, TABLE_INPUT_COUNT) + i32(load<u32>(table, TABLE_OPERATION) != OPERATION_NONE);
}

/** Whether the body says that this input repeats the witness of the one before; never so for an operation's witness. */
export function isRepeated(table: usize, item: i32): bool {
  return ((load<u32>(table, TABLE_REPEATED) >> item) & 1) != 0;
}

function readWitnesses(base: usize, table: usize): void {
  const count = witnessesOf(table);
  let signatures: u32 = 0;
  for (let i = 0; i < count; i++) {
    const entry = table + TABLE_WITNESSES + i * WITNESS_ENTRY_BYTES;
    readWitness(base, entry, i, isRepeated(table, i));
    if (readerError() != OK) return;
    signatures += load<u32>(entry, WITNESS_SIGNATURES);
  }
  if (needsPossession(load<u32>(table, TABLE_OPERATION))) {
    store<u32>(table, <u32>(readBytes(SIGNATURE_BYTES) - base), TABLE_POSSESSION);
    signatures++;
  }
  store<u32>(table, count, TABLE_WITNESS_COUNT);
  store<u32>(table, signatures, TABLE_SIGNATURES);
}

export function decodeBody(manifest: usize, body: usize, length: i32, table: usize): i32 {
  begin(manifest, body, length, table);
  readBody(manifest, body, table);
  return readerEnd();
}

export function decodeTransaction(manifest: usize, wire: usize, length: i32, table: usize): i32 {
  begin(manifest, wire, length, table);
  if (readU8() != WIRE_FORMAT) readerFail(UNKNOWN_FORMAT);
  readBody(manifest, wire, table);
  if (readerError() == OK) readWitnesses(wire, table);
  if (readerEnd() != OK) return readerError();
  store<u32>(table, length, TABLE_WIRE_BYTES);
  weigh(manifest, table);
  return OK;
}
