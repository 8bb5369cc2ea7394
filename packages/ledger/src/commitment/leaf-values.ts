/**
 * The values of leaves in the state trees, one encoding for each kind of record. The sum of an output
 * is its amount, of a position all that is locked in it, of a validator its stake, of a key nothing.
 */
import { bytesOf } from '../identifiers.ts';
import { Writer } from '../protocol.ts';
import type {
  KeyRecord,
  OutputRecord,
  Pending,
  PositionRecord,
  ValidatorRecord,
} from '../records.ts';

const RECORD_KEY_BYTES = 64;
const OUTPUT_BYTES = 109;
const OUTPUT_INDEX_AT = 48;
const OUTPUT_ADDRESS_AT = 52;
const OUTPUT_AMOUNT_AT = 101;

const POSITION_KINDS = { self_bond: 1, delegation: 2 } as const;
const VALIDATOR_STATUSES = { active: 1, exited: 2, removed: 3 } as const;

/** The tree key of a position, validator or registered key: its id, and zeros to the width of all keys. */
export function recordKey(id: string): Uint8Array {
  const key = new Uint8Array(RECORD_KEY_BYTES);
  key.setFromHex(id);
  return key;
}

/** Scratch space for the amount of a value: copying from here is cheaper than a view of every value. */
const scratch = new DataView(new ArrayBuffer(8));
const amountBytes = new Uint8Array(scratch.buffer);

type ValuedOutput = Pick<OutputRecord, 'address' | 'amount'>;

/** Written without a `Writer`: a full cut makes twenty thousand of them. */
export function outputValue(
  key: string,
  output: ValuedOutput,
  value: Uint8Array = new Uint8Array(OUTPUT_BYTES),
): Uint8Array {
  value.setFromHex(key);
  reverseIndex(value);
  value.subarray(OUTPUT_ADDRESS_AT).setFromHex(output.address);
  scratch.setBigUint64(0, output.amount, true);
  value.set(amountBytes, OUTPUT_AMOUNT_AT);
  return value;
}

/** The index is the other way round in a key, where keys order by it. */
function reverseIndex(value: Uint8Array): void {
  for (let low = OUTPUT_INDEX_AT, high = OUTPUT_ADDRESS_AT - 1; low < high; low++, high--) {
    const byte = value[low] as number;
    value[low] = value[high] as number;
    value[high] = byte;
  }
}

/** Values of many outputs, given with their keys in the same order, as views of one piece of memory; each alone would take a piece of its own. */
export function outputValues(
  keys: readonly string[],
  outputs: readonly ValuedOutput[],
): Uint8Array[] {
  const memory = new Uint8Array(OUTPUT_BYTES * keys.length);
  return keys.map((key, place) => {
    const at = OUTPUT_BYTES * place;
    return outputValue(key, outputs[place] as ValuedOutput, memory.subarray(at, at + OUTPUT_BYTES));
  });
}

export function positionValue(position: PositionRecord): Uint8Array {
  const writer = new Writer()
    .u8(POSITION_KINDS[position.kind])
    .raw(bytesOf(position.validatorId))
    .raw(bytesOf(position.ownerAddress))
    .raw(bytesOf(position.rewardAddress))
    .u64(position.bonded)
    .varint(position.unbonding.length);
  for (const { amount, releaseHeight } of position.unbonding) {
    writer.u64(amount).u64(BigInt(releaseHeight));
  }
  writer.varint(position.stood.length);
  for (const { epoch, bonded } of position.stood) writer.u64(BigInt(epoch)).u64(bonded);
  return writer.finish();
}

export function validatorValue(validator: ValidatorRecord): Uint8Array {
  const writer = new Writer(2_500)
    .u8(VALIDATOR_STATUSES[validator.status])
    .raw(bytesOf(validator.ownerAddress))
    .raw(bytesOf(validator.selfBondId))
    .raw(validator.consensusKey.publicKey);
  pending(writer, validator.pendingKey, ({ publicKey }) => writer.raw(publicKey));
  writer.counted(validator.endpoint);
  pending(writer, validator.pendingEndpoint, (endpoint) => writer.counted(endpoint));
  writer.u16(validator.commissionBps);
  pending(writer, validator.pendingCommission, (bps) => writer.u16(bps));
  writer
    .u64(validator.stake)
    .u64(BigInt(validator.positionCount))
    .u64(BigInt(validator.registeredEpoch))
    .u64(BigInt(validator.eligibleFromEpoch));
  if (validator.heartbeatEpoch === null) writer.u8(0);
  else writer.u8(1).u64(BigInt(validator.heartbeatEpoch));
  return writer
    .u64(BigInt(validator.jailedUntilEpoch))
    .u64(BigInt(validator.endHeight))
    .u64(BigInt(validator.removedHeight))
    .u64(validator.slashableBonded)
    .u64(validator.slashableUnbonding)
    .finish();
}

export function keyValue({ publicKey }: KeyRecord): Uint8Array {
  return publicKey;
}

/** Nothing as 0; a pending change as 1, its epoch and its value. */
function pending<T>(writer: Writer, change: Pending<T> | null, value: (value: T) => void): void {
  if (change === null) {
    writer.u8(0);
    return;
  }
  writer.u8(1).u64(BigInt(change.epoch));
  value(change.value);
}
