/**
 * Whether a cut may follow the head. `valid` and `invalid` are final; `unknown` means that something is missing
 * here, and says nothing about the cut.
 */
import type { EncodedCut } from 'svc-finality';
import { equalBytes, toHex } from 'svc-wasm/base';
import { PROTOCOL_VERSION } from './assemble-cut.ts';
import type { NextHeight } from './next-height.ts';

export type Judgement =
  | { readonly type: 'valid' }
  | { readonly type: 'invalid'; readonly reason: string }
  | UnknownYet;

/** `missing` are ids of blocks; none if it is something else that is not here. `what` says it to an operator. */
export interface UnknownYet {
  readonly type: 'unknown';
  readonly missing: readonly string[];
  readonly what: string;
}

export const VALID: Judgement = { type: 'valid' };

export function invalid(reason: string): Judgement {
  return { type: 'invalid', reason };
}

export function missingBlocks(missing: readonly string[]): UnknownYet {
  const what = missing.length === 1 ? '1 block' : `${missing.length} blocks`;
  return { type: 'unknown', missing, what };
}

/** A cut that does not follow the head: what was asked is answered by the chain itself, or will be soon. */
export function notNext(height: bigint, nextHeight: number): UnknownYet {
  const isPast = height < BigInt(nextHeight);
  const what = isPast ? 'its turn until the chain had gone on' : 'the cut before it';
  return { type: 'unknown', missing: [], what };
}

export const UNKNOWN_SET: UnknownYet = {
  type: 'unknown',
  missing: [],
  what: 'the validator set that its evidence is about',
};

const TIME_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** What the header alone gives away; null if nothing. The height is that of the next cut. */
export function headerFault(
  { fields }: EncodedCut,
  next: NextHeight,
  chainId: Uint8Array,
  parentCutId: string,
): string | null {
  if (fields.protocolVersion !== PROTOCOL_VERSION)
    return `protocol version ${fields.protocolVersion}`;
  if (!equalBytes(fields.chainId, chainId)) return 'another chain';
  if (toHex(fields.parentCutId) !== parentCutId) return 'another parent';
  if (!equalBytes(fields.validatorSetId, next.validators.id)) return 'another validator set';
  if (fields.proposer >= next.validators.validators.length) return 'a proposer outside the set';
  if (fields.time > TIME_MAX) return 'a time beyond all years';
  return null;
}
