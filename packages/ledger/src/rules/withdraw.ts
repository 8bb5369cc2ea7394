/**
 * `withdraw`: everything of a position that has been unbonding for ten intervals goes to its owner in
 * one output. What the validator's exit set free counts from the exit. What was burned when the validator was
 * removed leaves the position here, together with the part it was burned of.
 */
import { present } from '../assertion.ts';
import type { CutContext } from '../context.ts';
import type { OperationOf } from '../protocol.ts';
import type { PositionRecord, ValidatorRecord } from '../records.ts';
import type { ExecutableTransaction } from '../transaction.ts';
import { payOut } from './outputs.ts';
import {
  principalOf,
  putPosition,
  releaseHeight,
  unbondingParts,
  withBonded,
} from './positions.ts';
import { noEffect, type Refusal } from './refusal.ts';

export function withdraw(
  context: CutContext,
  { positionId }: OperationOf<'withdraw'>,
  transaction: ExecutableTransaction,
): Refusal | null {
  const position = present(context.state.get('positions', positionId), 'position');
  const validator = present(context.state.get('validators', position.validatorId), 'validator');
  const left = withoutReleased(context, position, validator);
  const burned = unbondingParts(context.parameters, position, validator)
    .filter((part) => part.releaseHeight <= context.height)
    .reduce((sum, part) => sum + part.burned, 0n);
  const amount = principalOf(position) - principalOf(left) - burned;
  if (amount === 0n) return noEffect('nothing_released');
  putPosition(context, positionId, left, validator);
  context.economy.unbonding -= amount;
  context.economy.slashed -= burned;
  payOut(context, 'stake_return', { address: position.ownerAddress, amount }, transaction.id);
  return null;
}

function withoutReleased(
  context: CutContext,
  position: PositionRecord,
  validator: ValidatorRecord,
): PositionRecord {
  const { height, parameters } = context;
  const unbonding = position.unbonding.filter((chunk) => chunk.releaseHeight > height);
  const isReleased =
    validator.status !== 'active' && releaseHeight(parameters, validator.endHeight) <= height;
  const rest = isReleased ? withBonded(context, position, 0n) : position;
  return { ...rest, unbonding };
}
