/**
 * What typed messages leave out and their bytes contain: the chain, and the validator set of a
 * height. Bytes that name another set than the one of their height are refused here, so that the
 * machine never sees them.
 */
import { equalBytes, fromHex, SvcError, toHex } from 'svc-wasm/base';
import type { ValidatorSet as SetWithKeys } from 'svc-wasm/protocol';
import type { CutId, Height, Round } from '../base/types.ts';
import type { ValidatorSet } from '../base/validator-set.ts';
import { createValidatorSet } from '../base/validator-set.ts';

export const ID_BYTES = 48;

export interface WireContext {
  readonly chainId: Uint8Array;
  /** The id of the set that signs at a height; `undefined` where this node does not know it. */
  readonly setIdAt: (height: Height) => Uint8Array | undefined;
}

/** The machine's view of a validator set: stakes by index, without keys. */
export function machineSet(set: SetWithKeys): ValidatorSet {
  const stakes = set.validators.map(({ stake }) => stake);
  return createValidatorSet(toHex(set.id), stakes);
}

export function setIdFor(context: WireContext, height: Height, path: string): Uint8Array {
  const id = context.setIdAt(height);
  if (id !== undefined) return id;
  throw new SvcError('wrong_validator_set', `the validator set of height ${height} is not known`, {
    path,
  });
}

export function expectSetOf(
  context: WireContext,
  height: Height,
  found: Uint8Array,
  path: string,
): void {
  const expected = setIdFor(context, height, path);
  if (equalBytes(expected, found)) return;
  const message = `expected the set ${toHex(expected)}, found ${toHex(found)}`;
  throw new SvcError('wrong_validator_set', message, { path });
}

export function heightFrom(value: bigint, path: string): Height {
  if (value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value) as Height;
  const message = `expected at most ${Number.MAX_SAFE_INTEGER}, found ${value}`;
  throw new SvcError('out_of_range', message, { path });
}

/** The decoders of the protocol module have checked the range. */
export function roundFrom(value: number): Round {
  return value as Round;
}

export function cutIdFrom(bytes: Uint8Array): CutId {
  return toHex(bytes) as CutId;
}

export function cutIdBytes(value: CutId, path = 'value'): Uint8Array {
  return fromHex(value, path, ID_BYTES);
}
