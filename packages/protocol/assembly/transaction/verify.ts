/**
 * Decides whether a transaction may enter: form, binding, sums, fee, witnesses against addresses,
 * and only then signatures. Whether the outputs exist and are unspent is the caller's to know.
 */
import { ascii, asciiPointer } from '../codec/label';
import { equalBytes } from '../codec/compare';
import {
  BAD_OPERATION_SIGNATURE, BAD_POSSESSION_SIGNATURE, BAD_PREVIOUS_OUTPUT, BAD_SPEND_SIGNATURE, FEE_MISMATCH, FEE_TOO_LOW,
  INPUTS_TOO_LARGE, INSUFFICIENT_INPUTS, OK, OWNER_MISMATCH, OWNER_MISSING, OWNER_UNEXPECTED, PREVIOUS_OUTPUT_COUNT,
  REPEATED_ADDRESS, TOO_MANY_KEYS, UNSPENDABLE_OUTPUT,
} from '../errors';
import { mldsaVerifyExpanded } from '../mldsa/verify';
import { addressType, checkAddress } from './address';
import { checkAmount, SUPPLY_MAX } from './amount';
import { authorize } from './authorize';
import { decodeTransaction, isRepeated } from './decode';
import { expandedKey } from './expanded-keys';
import { blame } from './fault';
import {
  ADDRESS_BURN, ADDRESS_BYTES, ID_BYTES, OPERATION_NONE, OUTPUT_BYTES, REGISTERED_KEYS_MAX, TABLE_CONSENSUS_KEY, TABLE_DECLARED_FEE, TABLE_FEE,
  TABLE_FEE_DECLARED, TABLE_ID,
  TABLE_INPUT_COUNT, TABLE_INPUT_SUM, TABLE_LOCKED_AMOUNT, TABLE_MESSAGE, TABLE_MINIMUM_FEE, TABLE_OPERATION,
  TABLE_OUTPUT_SUM, TABLE_OWNER, TABLE_POSSESSION, TABLE_WITNESS_COUNT, TABLE_WITNESSES, WITNESS_AT,
  WITNESS_ENTRY_BYTES,
} from './layout';
import { operationMessage, possessionMessage, spendMessage } from './messages';
import { registeredBegin } from './registered-keys';
import { addSignature, signatureBytes, signatureCount, signaturePublicKey, signaturesBegin, signatureWitness } from './signature-list';

/** Sums up the previous outputs; each is an address and an amount. */
function checkPreviousOutputs(previousOutputs: usize, count: i32, table: usize): i32 {
  if (count != load<i32>(table, TABLE_INPUT_COUNT)) return PREVIOUS_OUTPUT_COUNT;
  let sum: u64 = 0;
  for (let i = 0; i < count; i++) {
    const output = previousOutputs + i * OUTPUT_BYTES;
    const amount = load<u64>(output, ADDRESS_BYTES);
    if (checkAddress(output) != OK || checkAmount(amount) != OK) return blame(BAD_PREVIOUS_OUTPUT, i);
    if (addressType(output) == ADDRESS_BURN) return blame(UNSPENDABLE_OUTPUT, i);
    sum += amount;
    if (sum > SUPPLY_MAX) return blame(INPUTS_TOO_LARGE, i);
  }
  store<u64>(table, sum, TABLE_INPUT_SUM);
  return OK;
}

function checkFee(table: usize): i32 {
  const inputs = load<u64>(table, TABLE_INPUT_SUM);
  const moved = load<u64>(table, TABLE_OUTPUT_SUM) + load<u64>(table, TABLE_LOCKED_AMOUNT);
  if (moved > inputs) return INSUFFICIENT_INPUTS;
  const fee = inputs - moved;
  store<u64>(table, fee, TABLE_FEE);
  const isDeclared = load<u32>(table, TABLE_FEE_DECLARED) != 0;
  if (isDeclared && fee != load<u64>(table, TABLE_DECLARED_FEE)) return FEE_MISMATCH;
  return fee < load<u64>(table, TABLE_MINIMUM_FEE) ? FEE_TOO_LOW : OK;
}

/** `owner` is 0 when the caller names none, which only an operation that names its owner allows. */
function checkOwner(wire: usize, owner: usize, table: usize): i32 {
  if (load<u32>(table, TABLE_OPERATION) == OPERATION_NONE) return owner == 0 ? OK : OWNER_UNEXPECTED;
  const named = load<u32>(table, TABLE_OWNER);
  if (named == 0) return owner == 0 ? OWNER_MISSING : OK;
  if (owner == 0 || equalBytes(wire + named, owner, ADDRESS_BYTES)) return OK;
  return OWNER_MISMATCH;
}

function checkWitnesses(wire: usize, previousOutputs: usize, owner: usize, table: usize): i32 {
  const inputs = load<i32>(table, TABLE_INPUT_COUNT);
  const witnesses = load<i32>(table, TABLE_WITNESS_COUNT);
  const named = load<u32>(table, TABLE_OWNER);
  const operationOwner = named == 0 ? owner : wire + named;
  signaturesBegin();
  for (let i = 0; i < witnesses; i++) {
    const witness = wire + load<u32>(table + TABLE_WITNESSES + i * WITNESS_ENTRY_BYTES, WITNESS_AT);
    const address = i < inputs ? previousOutputs + i * OUTPUT_BYTES : operationOwner;
    if (isRepeated(table, i)) {
      if (!equalBytes(address, address - OUTPUT_BYTES, ADDRESS_BYTES)) return blame(REPEATED_ADDRESS, i);
      continue;
    }
    const error = authorize(witness, address, i);
    if (error != OK) return blame(error, i);
  }
  const possession = load<u32>(table, TABLE_POSSESSION);
  if (possession != 0) addSignature(wire + load<u32>(table, TABLE_CONSENSUS_KEY), wire + possession, witnesses);
  return OK;
}

function signatureHolds(index: i32, message: usize, contextBytes: i32): bool {
  const slot = expandedKey(signaturePublicKey(index));
  return mldsaVerifyExpanded(slot, message, ID_BYTES, asciiPointer(), contextBytes, signatureBytes(index));
}

function checkSignature(index: i32, wire: usize, previousOutputs: usize, table: usize): i32 {
  const id = table + TABLE_ID;
  const message = table + TABLE_MESSAGE;
  const witness = signatureWitness(index);
  if (witness < load<i32>(table, TABLE_INPUT_COUNT)) {
    spendMessage(id, witness, previousOutputs + witness * OUTPUT_BYTES, message);
    return signatureHolds(index, message, ascii('svc/spend/v1')) ? OK : BAD_SPEND_SIGNATURE;
  }
  if (witness < load<i32>(table, TABLE_WITNESS_COUNT)) {
    operationMessage(id, message);
    return signatureHolds(index, message, ascii('svc/operation/v1')) ? OK : BAD_OPERATION_SIGNATURE;
  }
  possessionMessage(id, wire + load<u32>(table, TABLE_CONSENSUS_KEY), message);
  return signatureHolds(index, message, ascii('svc/possession/v1')) ? OK : BAD_POSSESSION_SIGNATURE;
}

function checkSignatures(wire: usize, previousOutputs: usize, table: usize): i32 {
  const count = signatureCount();
  for (let i = 0; i < count; i++) {
    const error = checkSignature(i, wire, previousOutputs, table);
    if (error != OK) return blame(error, signatureWitness(i));
  }
  return OK;
}

/**
 * `previousOutputs` holds `previousCount` outputs, one for each input, `owner` an address or 0, `keys` as many
 * registered public keys as `keyCount` says. Returns 0 or the first error.
 */
export function verifyTransaction(
  manifest: usize,
  wire: usize,
  length: i32,
  previousOutputs: usize,
  previousCount: i32,
  owner: usize,
  keys: usize,
  keyCount: i32,
  table: usize,
): i32 {
  let error = decodeTransaction(manifest, wire, length, table);
  if (error == OK && keyCount > REGISTERED_KEYS_MAX) error = TOO_MANY_KEYS;
  if (error == OK) error = checkPreviousOutputs(previousOutputs, previousCount, table);
  if (error == OK) error = checkFee(table);
  if (error == OK) error = checkOwner(wire, owner, table);
  if (error != OK) return error;
  registeredBegin(keys, keyCount);
  error = checkWitnesses(wire, previousOutputs, owner, table);
  if (error != OK) return error;
  return checkSignatures(wire, previousOutputs, table);
}
