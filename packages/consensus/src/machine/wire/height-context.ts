/**
 * What the chain says about a height, as the first record of its log keeps it; `docs/protocol.md` 8.7.
 */
import { fromHex, Reader, SvcError, toHex, Writer } from 'svc-wasm/base';
import { VALIDATORS_MAX } from '../base/limits.ts';
import { createValidatorSet, isMember } from '../base/validator-set.ts';
import type { HeightContext } from '../step/state.ts';
import { heightFrom, ID_BYTES } from './wire-context.ts';

const NOT_A_MEMBER = 0xff;

export function encodeHeightContext(context: HeightContext): Uint8Array {
  const { set, proposers, self } = context;
  const writer = new Writer()
    .u64(BigInt(context.height))
    .u64(context.startAtMs)
    .u8(self ?? NOT_A_MEMBER)
    .raw(fromHex(set.id, 'set.id', ID_BYTES))
    .varint(set.stakes.length);
  for (const stake of set.stakes) writer.u64(stake);
  writer.varint(proposers.length);
  for (const index of proposers) writer.u8(index);
  return writer.finish();
}

export function decodeHeightContext(bytes: Uint8Array, path = 'context'): HeightContext {
  const reader = new Reader(bytes, path);
  const height = heightFrom(reader.u64(), `${path}.height`);
  const startAtMs = reader.u64();
  const own = reader.u8();
  const id = toHex(reader.raw(ID_BYTES));
  const stakes = readMany(reader, `${path}.stakes`, () => reader.u64());
  if (stakes.includes(0n)) throw outOfRange('a stake is zero', `${path}.stakes`);
  const set = createValidatorSet(id, stakes);
  const proposers = readMany(reader, `${path}.proposers`, () => reader.u8());
  reader.end();
  if (!proposers.every((index) => isMember(set, index)))
    throw outOfRange('a proposer is not of the set', `${path}.proposers`);
  const self = own === NOT_A_MEMBER ? undefined : own;
  if (self !== undefined && !isMember(set, self))
    throw outOfRange(`validator ${self} is not of the set`, `${path}.self`);
  return { height, set, proposers, self, startAtMs };
}

function readMany<T>(reader: Reader, path: string, read: () => T): T[] {
  const count = reader.varint();
  if (count === 0 || count > VALIDATORS_MAX)
    throw outOfRange(`expected 1 to ${VALIDATORS_MAX}, found ${count}`, path);
  return Array.from({ length: count }, read);
}

function outOfRange(message: string, path: string): SvcError {
  return new SvcError('out_of_range', message, { path });
}
