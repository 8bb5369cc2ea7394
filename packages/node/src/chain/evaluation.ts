/**
 * The answer of a chain about a cut that may follow its head. `execution` and `fault` never change for a cut;
 * `missing` means that this node lacks something, and says nothing about the cut.
 */
import type { EncodedCut } from 'svc-consensus/machine';
import { equalBytes, toHex } from 'svc-wasm/base';
import { PROTOCOL_VERSION } from 'svc-wasm/protocol';
import type { Execution } from './executions.ts';
import type { NextHeight } from './next-height.ts';

export type Evaluation =
  | { readonly type: 'execution'; readonly execution: Execution }
  | { readonly type: 'fault'; readonly reason: string }
  | MissingParts;

/** `blocks` has the ids of missing blocks, and is empty if something else is missing; `what` is for an operator. */
export interface MissingParts {
  readonly type: 'missing';
  readonly blocks: readonly string[];
  /** The validator set that evidence is about, if that is what is missing. */
  readonly setId?: string;
  readonly what: string;
}

export function fault(reason: string): Evaluation {
  return { type: 'fault', reason };
}

export function missingBlocks(blocks: readonly string[]): MissingParts {
  const what = blocks.length === 1 ? '1 block' : `${blocks.length} blocks`;
  return { type: 'missing', blocks, what };
}

/** A cut of another height than the next: the chain has a final cut there, or lacks the cut before. */
export function notNext(height: bigint, nextHeight: number): MissingParts {
  const isPast = height < BigInt(nextHeight);
  const what = isPast
    ? 'its turn, and the chain had already passed this height'
    : 'the cut before it';
  return { type: 'missing', blocks: [], what };
}

export function missingSet(setId: string): MissingParts {
  const what = `the validator set ${setId}, which its evidence is about,`;
  return { type: 'missing', blocks: [], setId, what };
}

const TIME_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** The first field of the header that is wrong without executing the cut, or null. The cut has the next height. */
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
