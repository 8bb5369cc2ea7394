/**
 * The values of leaves in the state trees, one encoding for each kind of record. The sum of an output
 * is its amount, of a position all that is locked in it, of a validator its stake, of a key nothing.
 */
import { bytesOf, type OutpointKey } from '../identifiers.ts';
import { Writer, writeHex } from '../protocol.ts';
import type {
  KeyRecord,
  OutputRecord,
  Pending,
  PositionRecord,
  ValidatorRecord,
} from '../records.ts';
import type { ExecutableTransaction } from '../transaction.ts';

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
  writeHex(id, key, 0);
  return key;
}

/** Scratch space for the amount of a value: copying from here is cheaper than a view of every value. */
const scratch = new DataView(new ArrayBuffer(8));
const amountBytes = new Uint8Array(scratch.buffer);

type ValuedOutput = Pick<OutputRecord, 'address' | 'amount'>;

/** An output with its outpoint. */
export interface NamedOutput {
  readonly outpoint: OutpointKey;
  readonly output: ValuedOutput;
  /** The transaction that makes it, if that is known, and its place there. */
  readonly maker?: Pick<ExecutableTransaction, 'writeOutputValue'>;
  readonly outputIndex?: number;
}

export function outputValue(key: OutpointKey, output: ValuedOutput): Uint8Array {
  const value = new Uint8Array(OUTPUT_BYTES);
  writeValue(key, output, value, 0);
  return value;
}

/** Written without a `Writer` and without views: a full cut makes twenty thousand of them. */
function writeValue(
  key: OutpointKey,
  { address, amount }: ValuedOutput,
  memory: Uint8Array,
  at: number,
): void {
  writeHex(key, memory, at);
  reverseIndex(memory, at);
  writeHex(address, memory, at + OUTPUT_ADDRESS_AT);
  scratch.setBigUint64(0, amount, true);
  memory.set(amountBytes, at + OUTPUT_AMOUNT_AT);
}

/** Keys have the index in big-endian order, so that they sort by it. */
function reverseIndex(memory: Uint8Array, at: number): void {
  let [low, high] = [at + OUTPUT_INDEX_AT, at + OUTPUT_ADDRESS_AT - 1];
  for (; low < high; low++, high--) {
    const byte = memory[low] as number;
    memory[low] = memory[high] as number;
    memory[high] = byte;
  }
}

/**
 * Consecutive values of many outputs, in one piece of memory: each alone would take a piece of its own. A transaction
 * that was decoded from bytes has those of its outputs, which takes a fifth of making them from texts.
 */
export function outputValues(named: readonly NamedOutput[]): Uint8Array {
  const memory = new Uint8Array(OUTPUT_BYTES * named.length);
  named.forEach(({ outpoint, output, maker, outputIndex = 0 }, place) => {
    const at = OUTPUT_BYTES * place;
    if (maker?.writeOutputValue === undefined) writeValue(outpoint, output, memory, at);
    else maker.writeOutputValue(outputIndex, memory, at);
  });
  return memory;
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
    .u64(validator.removalBurned)
    .u64(validator.slashableBonded)
    .u64(validator.slashableUnbonding)
    .finish();
}

export function keyValue({ publicKey }: KeyRecord): Uint8Array {
  return publicKey;
}

/** 0 without a pending change; else 1, its epoch and its value. */
function pending<T>(writer: Writer, change: Pending<T> | null, value: (value: T) => void): void {
  if (change === null) {
    writer.u8(0);
    return;
  }
  writer.u8(1).u64(BigInt(change.epoch));
  value(change.value);
}
