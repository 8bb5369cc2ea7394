/**
 * Staking operations; `docs/protocol.md` 4.2. Every operation but a registration starts with the
 * id of the validator or position it is about.
 */
import { readBytes, readCounted, readCountedLength, readerAt, readerError, readerFail, readU16, readU64, readU8 } from '../codec/reader';
import { BAD_ENDPOINT_LENGTH, BURN_NOT_ALLOWED, COMMISSION_STEP, COMMISSION_TOO_HIGH, OK, UNKNOWN_OPERATION } from '../errors';
import { addressType, checkAddress } from './address';
import { checkAmount } from './amount';
import {
  ADDRESS_BURN, ADDRESS_BYTES, COMMISSION_BPS_MAX, COMMISSION_BPS_STEP, ENDPOINT_BYTES_MAX, ID_BYTES,
  OPERATION_NONE, PUBLIC_KEY_BYTES, TABLE_COMMISSION, TABLE_CONSENSUS_KEY, TABLE_ENDPOINT, TABLE_ENDPOINT_BYTES, TABLE_EPOCH,
  TABLE_LOCKED_AMOUNT, TABLE_OPERATION, TABLE_OPERATION_AMOUNT, TABLE_OWNER, TABLE_REWARD, TABLE_SUBJECT,
} from './layout';

// Tags; `src/transaction/operations.ts` has the same.
const OPERATION_BOND = 1;
const OPERATION_UNBOND = 2;
const OPERATION_WITHDRAW = 3;
const OPERATION_VALIDATOR_REGISTER = 4;
const OPERATION_HEARTBEAT = 5;
const OPERATION_REWARD_ADDRESS = 6;
const OPERATION_ROTATE_KEY = 7;
const OPERATION_ENDPOINT = 8;
const OPERATION_COMMISSION = 9;
const OPERATION_EXIT = 10;

function readAddress(): usize {
  const address = readBytes(ADDRESS_BYTES);
  if (readerError() != OK) return address;
  const error = checkAddress(address);
  if (error != OK) readerFail(error);
  return address;
}

function readAmount(table: usize): void {
  const amount = readU64();
  if (readerError() != OK) return;
  const error = checkAmount(amount);
  if (error != OK) readerFail(error);
  store<u64>(table, amount, TABLE_OPERATION_AMOUNT);
}

/** An amount that leaves the inputs for a staking position. */
function readLockedAmount(table: usize): void {
  readAmount(table);
  store<u64>(table, load<u64>(table, TABLE_OPERATION_AMOUNT), TABLE_LOCKED_AMOUNT);
}

/** An owner has to sign, which is impossible for the burn address. */
function readOwner(base: usize, table: usize): void {
  const owner = readAddress();
  if (readerError() == OK && addressType(owner) == ADDRESS_BURN) readerFail(BURN_NOT_ALLOWED);
  store<u32>(table, <u32>(owner - base), TABLE_OWNER);
}

function readReward(base: usize, table: usize): void {
  store<u32>(table, <u32>(readAddress() - base), TABLE_REWARD);
}

function readCommission(table: usize): void {
  const commission = readU16();
  if (commission > <u32>COMMISSION_BPS_MAX) readerFail(COMMISSION_TOO_HIGH);
  else if (commission % COMMISSION_BPS_STEP != 0) readerFail(COMMISSION_STEP);
  store<u32>(table, commission, TABLE_COMMISSION);
}

function readConsensusKey(base: usize, table: usize): void {
  store<u32>(table, <u32>(readBytes(PUBLIC_KEY_BYTES) - base), TABLE_CONSENSUS_KEY);
  const endpoint = readCounted(1, ENDPOINT_BYTES_MAX, BAD_ENDPOINT_LENGTH, BAD_ENDPOINT_LENGTH);
  store<u32>(table, <u32>(endpoint - base), TABLE_ENDPOINT);
  store<u32>(table, readCountedLength(), TABLE_ENDPOINT_BYTES);
}

function readRegistration(base: usize, table: usize): void {
  readOwner(base, table);
  readReward(base, table);
  readLockedAmount(table);
  readCommission(table);
  readConsensusKey(base, table);
}

function readSubjectAndRest(tag: u32, base: usize, table: usize): void {
  store<u32>(table, <u32>(readerAt() - base), TABLE_SUBJECT);
  readBytes(ID_BYTES);
  switch (tag) {
    case OPERATION_BOND: {
      readOwner(base, table);
      readReward(base, table);
      return readLockedAmount(table);
    }
    case OPERATION_UNBOND:
      return readAmount(table);
    case OPERATION_HEARTBEAT:
      return store<u64>(table, readU64(), TABLE_EPOCH);
    case OPERATION_REWARD_ADDRESS:
      return readReward(base, table);
    case OPERATION_ROTATE_KEY:
    case OPERATION_ENDPOINT:
      return readConsensusKey(base, table);
    case OPERATION_COMMISSION:
      return readCommission(table);
    case OPERATION_WITHDRAW:
    case OPERATION_EXIT:
      return;
    default:
      readerFail(UNKNOWN_OPERATION);
  }
}

export function readOperation(base: usize, table: usize): void {
  const tag = readU8();
  if (readerError() != OK || tag == OPERATION_NONE) return;
  if (tag > <u32>OPERATION_EXIT) return readerFail(UNKNOWN_OPERATION);
  store<u32>(table, tag, TABLE_OPERATION);
  if (tag == OPERATION_VALIDATOR_REGISTER) readRegistration(base, table);
  else readSubjectAndRest(tag, base, table);
}

/** Operations that name a consensus key carry a signature by it. */
export function needsPossession(tag: u32): bool {
  return tag == OPERATION_VALIDATOR_REGISTER || tag == OPERATION_ROTATE_KEY || tag == OPERATION_ENDPOINT;
}
