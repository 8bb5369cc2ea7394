/**
 * Positions: what is bonded now, what was bonded when an epoch began, what is unbonding. When a validator is
 * removed its delegations lose a tenth, and none of them is touched: what is left follows from the validator wherever
 * a position is read.
 */
import type { CutContext, Hash } from '../context.ts';
import { bytesOf, type Identifier } from '../identifiers.ts';
import {
  type LedgerParameters,
  SLASHED_DELEGATION_DIVISOR,
  UNBONDING_EPOCHS,
} from '../parameters.ts';
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
  const oldest = context.economy.openPool ?? context.epoch;
  const kept = position.stood.filter(({ epoch }) => epoch >= oldest);
  const stood = kept.some(({ epoch }) => epoch === context.epoch)
    ? kept
    : [...kept, { epoch: context.epoch, bonded: position.bonded }];
  return { ...position, bonded, stood };
}

/** What a delegation loses of an amount when its validator is removed, rounded in the owner's favour. */
export function slashOf(amount: bigint): bigint {
  return amount / SLASHED_DELEGATION_DIVISOR;
}

/**
 * All of a position that is unbonding: its chunks and, once its validator has left, what was bonded
 * until then; of each part what is written, and what of that was burned.
 */
export function unbondingParts(
  parameters: LedgerParameters,
  { kind, bonded, unbonding }: PositionRecord,
  validator: ValidatorRecord,
): (UnbondingChunk & { readonly burned: bigint })[] {
  const release = releaseHeight(parameters, validator.endHeight);
  const rest = validator.status === 'active' ? [] : [{ amount: bonded, releaseHeight: release }];
  const isSlashed = kind === 'delegation' && validator.status === 'removed';
  return [...unbonding, ...rest]
    .filter(({ amount }) => amount > 0n)
    .map((part) => {
      const isHit = isSlashed && part.releaseHeight > validator.removedHeight;
      return { ...part, burned: isHit ? slashOf(part.amount) : 0n };
    });
}

/** The amount that the owner gets back of an unbonding position, and when. */
export function unbondingOf(
  parameters: LedgerParameters,
  position: PositionRecord,
  validator: ValidatorRecord,
): UnbondingChunk[] {
  return unbondingParts(parameters, position, validator).map(
    ({ amount, burned, releaseHeight: release }) => ({
      amount: amount - burned,
      releaseHeight: release,
    }),
  );
}

/** Everything that the owner still has in a position. */
export function principalHeld(
  parameters: LedgerParameters,
  position: PositionRecord,
  validator: ValidatorRecord,
): bigint {
  const burned = unbondingParts(parameters, position, validator).reduce(
    (sum, part) => sum + part.burned,
    0n,
  );
  return principalOf(position) - burned;
}

/** Everything that is written in the position; the sum of its leaf. */
export function principalOf(position: PositionRecord): bigint {
  return position.unbonding.reduce((sum, { amount }) => sum + amount, position.bonded);
}

/** Puts the position, or deletes it when nothing is left. The last one takes its validator along, unless that was removed. */
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
  if (left.positionCount === 0 && left.status !== 'removed')
    context.state.delete('validators', position.validatorId);
  else context.state.put('validators', position.validatorId, left);
  return left;
}
