/**
 * Positions: what is bonded now, what was bonded when an epoch began, what is on its way back.
 */
import type { CutContext, Hash } from '../context.ts';
import { bytesOf, type Identifier } from '../identifiers.ts';
import { type LedgerParameters, UNBONDING_EPOCHS } from '../parameters.ts';
import { LABELS, toHex } from '../protocol.ts';
import type { PositionRecord, UnbondingChunk, ValidatorRecord } from '../records.ts';

export function positionIdOf(hash: Hash, transactionId: Identifier): Identifier {
  return toHex(hash(LABELS.position, bytesOf(transactionId)));
}

/** The first cut in which stake that begins to unbond in this one can be withdrawn. */
export function releaseHeight(parameters: LedgerParameters, height: number): number {
  return height + UNBONDING_EPOCHS * parameters.interval;
}

/** What was bonded when the epoch began, that is, after the last cut of the epoch before. */
export function bondedAtStart(position: PositionRecord, epoch: number): bigint {
  return position.stood.find((stood) => stood.epoch >= epoch)?.bonded ?? position.bonded;
}

/** The position with another bonded amount, remembering the one with which the epoch began. */
export function withBonded(
  context: CutContext,
  position: PositionRecord,
  bonded: bigint,
): PositionRecord {
  const oldest = context.economy.openPools[0] ?? context.epoch;
  const kept = position.stood.filter(({ epoch }) => epoch >= oldest);
  const stood = kept.some(({ epoch }) => epoch === context.epoch)
    ? kept
    : [...kept, { epoch: context.epoch, bonded: position.bonded }];
  return { ...position, bonded, stood };
}

/**
 * All of a position that is unbonding: its chunks and, once its validator has left, what was bonded
 * until then.
 */
export function unbondingOf(
  parameters: LedgerParameters,
  position: PositionRecord,
  validator: ValidatorRecord,
): UnbondingChunk[] {
  if (validator.status === 'active' || position.bonded === 0n) return [...position.unbonding];
  const rest = {
    amount: position.bonded,
    releaseHeight: releaseHeight(parameters, validator.endHeight),
  };
  return [...position.unbonding, rest];
}

/** Everything that is still locked in the position. */
export function principalOf(position: PositionRecord): bigint {
  return position.unbonding.reduce((sum, { amount }) => sum + amount, position.bonded);
}

/** Puts the position, or deletes it when nothing is left, and its validator with the last one. */
export function putPosition(
  context: CutContext,
  id: Identifier,
  position: PositionRecord,
  validator: ValidatorRecord,
): ValidatorRecord {
  if (principalOf(position) > 0n) {
    context.state.put('positions', id, position);
    return validator;
  }
  context.state.delete('positions', id);
  const left = { ...validator, positionCount: validator.positionCount - 1 };
  if (left.positionCount === 0) context.state.delete('validators', position.validatorId);
  else context.state.put('validators', position.validatorId, left);
  return left;
}
