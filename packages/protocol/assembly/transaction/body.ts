/**
 * Transaction bodies; `docs/protocol.md` 4.1. Reads a body at the reader's place, checks that it is
 * bound to the manifest's chain and within its limits, and fills the table.
 */
import { equalBytes } from '../codec/compare';
import { hashLabel } from '../codec/label';
import { readBytes, readCount, readCounted, readCountedLength, readerAt, readerError, readerFail, readU32, readU64, readU8 } from '../codec/reader';
import {
  BAD_REPEATED_INPUTS, DECLARED_FEE_TOO_LARGE, DUPLICATE_INPUT, NO_INPUTS, NO_OUTPUTS, OK, OUTPUTS_TOO_LARGE, PAYLOAD_TOO_LONG, TOO_MANY_INPUTS,
  TOO_MANY_OUTPUTS, UNKNOWN_FORMAT, WINDOW_REVERSED, WINDOW_TOO_LONG, WRONG_CHAIN, WRONG_PROTOCOL_VERSION, WRONG_RULES,
} from '../errors';
import { checkAddress } from './address';
import { checkAmount, SUPPLY_MAX } from './amount';
import { failAt } from './fault';
import {
  ADDRESS_BYTES, BODY_FORMAT, BODY_FORMAT_FEE, ID_BYTES, INPUTS_MAX, MANIFEST_CHAIN_ID, MANIFEST_INPUTS_MAX, MANIFEST_OUTPUTS_MAX,
  MANIFEST_PAYLOAD_BYTES_MAX, MANIFEST_PROTOCOL_VERSION, MANIFEST_RULES_ID, MANIFEST_VALIDITY_CUTS_MAX,
  OPERATION_NONE, OUTPOINT_BYTES, OUTPUT_BYTES, OUTPUTS_MAX, TABLE_BODY, TABLE_BODY_BYTES, TABLE_DECLARED_FEE,
  TABLE_FEE_DECLARED, TABLE_ID,
  TABLE_INPUT_COUNT, TABLE_INPUTS, TABLE_LOCKED_AMOUNT, TABLE_OPERATION, TABLE_OUTPUT_COUNT, TABLE_OUTPUT_SUM,
  TABLE_OUTPUTS, TABLE_PAYLOAD, TABLE_PAYLOAD_BYTES, TABLE_REPEATED, TABLE_VALID_FROM, TABLE_VALID_UNTIL,
} from './layout';
import { readOperation } from './operation';

function readBinding(manifest: usize): void {
  const chainId = readBytes(ID_BYTES);
  if (readerError() == OK && !equalBytes(chainId, manifest + MANIFEST_CHAIN_ID, ID_BYTES)) readerFail(WRONG_CHAIN);
  if (readU32() != load<u32>(manifest, MANIFEST_PROTOCOL_VERSION)) readerFail(WRONG_PROTOCOL_VERSION);
  const rulesId = readBytes(ID_BYTES);
  if (readerError() == OK && !equalBytes(rulesId, manifest + MANIFEST_RULES_ID, ID_BYTES)) readerFail(WRONG_RULES);
}

function readWindow(manifest: usize, table: usize): void {
  const from = readU64();
  const until = readU64();
  if (until < from) readerFail(WINDOW_REVERSED);
  else if (until - from > load<u64>(manifest, MANIFEST_VALIDITY_CUTS_MAX)) readerFail(WINDOW_TOO_LONG);
  store<u64>(table, from, TABLE_VALID_FROM);
  store<u64>(table, until, TABLE_VALID_UNTIL);
}

/** Both fields stand at fixed places, so that a signer can read them before anything of varying length. */
function readFeeAndRepeated(table: usize): void {
  const fee = readU64();
  if (fee > SUPPLY_MAX) readerFail(DECLARED_FEE_TOO_LARGE);
  store<u64>(table, fee, TABLE_DECLARED_FEE);
  store<u32>(table, 1, TABLE_FEE_DECLARED);
  store<u32>(table, readU8(), TABLE_REPEATED);
}

function spendsEarlier(first: usize, index: i32): bool {
  const outpoint = first + index * OUTPOINT_BYTES;
  for (let other = first; other < outpoint; other += OUTPOINT_BYTES) {
    if (equalBytes(other, outpoint, OUTPOINT_BYTES)) return true;
  }
  return false;
}

function readInputs(manifest: usize, base: usize, table: usize): void {
  const most = min(INPUTS_MAX, load<i32>(manifest, MANIFEST_INPUTS_MAX));
  const count = readCount(1, most, NO_INPUTS, TOO_MANY_INPUTS);
  const first = readBytes(count * OUTPOINT_BYTES);
  if (readerError() != OK) return;
  for (let i = 1; i < count; i++) if (spendsEarlier(first, i)) return failAt(DUPLICATE_INPUT, i);
  const repeated = load<u32>(table, TABLE_REPEATED);
  if ((repeated & 1) != 0 || repeated >> count != 0) return readerFail(BAD_REPEATED_INPUTS);
  store<u32>(table, count, TABLE_INPUT_COUNT);
  store<u32>(table, <u32>(first - base), TABLE_INPUTS);
}

function readOutputs(manifest: usize, base: usize, table: usize): void {
  const most = min(OUTPUTS_MAX, load<i32>(manifest, MANIFEST_OUTPUTS_MAX));
  const count = readCount(0, most, NO_OUTPUTS, TOO_MANY_OUTPUTS);
  const first = readBytes(count * OUTPUT_BYTES);
  if (readerError() != OK) return;
  let sum: u64 = 0;
  for (let i = 0; i < count; i++) {
    const output = first + i * OUTPUT_BYTES;
    const amount = load<u64>(output, ADDRESS_BYTES);
    let error = checkAddress(output);
    if (error == OK) error = checkAmount(amount);
    if (error != OK) return failAt(error, i);
    sum += amount;
    if (sum > SUPPLY_MAX) return failAt(OUTPUTS_TOO_LARGE, i);
  }
  store<u32>(table, count, TABLE_OUTPUT_COUNT);
  store<u32>(table, <u32>(first - base), TABLE_OUTPUTS);
  store<u64>(table, sum, TABLE_OUTPUT_SUM);
}

function readPayload(manifest: usize, base: usize, table: usize): void {
  const most = load<i32>(manifest, MANIFEST_PAYLOAD_BYTES_MAX);
  const payload = readCounted(0, most, PAYLOAD_TOO_LONG, PAYLOAD_TOO_LONG);
  store<u32>(table, <u32>(payload - base), TABLE_PAYLOAD);
  store<u32>(table, readCountedLength(), TABLE_PAYLOAD_BYTES);
}

function checkWhole(table: usize): void {
  const outputs = load<u32>(table, TABLE_OUTPUT_COUNT);
  if (outputs == 0 && load<u32>(table, TABLE_OPERATION) == OPERATION_NONE) readerFail(NO_OUTPUTS);
  const moved = load<u64>(table, TABLE_OUTPUT_SUM) + load<u64>(table, TABLE_LOCKED_AMOUNT);
  if (moved > SUPPLY_MAX) readerFail(OUTPUTS_TOO_LARGE);
  else if (moved + load<u64>(table, TABLE_DECLARED_FEE) > SUPPLY_MAX) readerFail(DECLARED_FEE_TOO_LARGE);
}

/** Reads a body; offsets in the table count from `base`. Failures are the reader's. */
export function readBody(manifest: usize, base: usize, table: usize): void {
  const body = readerAt();
  const format = readU8();
  if (format != BODY_FORMAT && format != BODY_FORMAT_FEE) readerFail(UNKNOWN_FORMAT);
  readBinding(manifest);
  readWindow(manifest, table);
  if (format == BODY_FORMAT_FEE) readFeeAndRepeated(table);
  readInputs(manifest, base, table);
  readOutputs(manifest, base, table);
  readOperation(base, table);
  readPayload(manifest, base, table);
  checkWhole(table);
  if (readerError() != OK) return;
  const length = <i32>(readerAt() - body);
  store<u32>(table, <u32>(body - base), TABLE_BODY);
  store<u32>(table, length, TABLE_BODY_BYTES);
  hashLabel('SVC_TX_V1', body, length, table + TABLE_ID);
}
