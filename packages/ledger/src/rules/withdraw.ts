/**
 * `withdraw`: everything of a position that has been unbonding for ten intervals goes to its owner in
 * one output. What the validator's exit set free counts from the exit.
 */
import { present } from '../assertion.ts';
import type { CutContext } from '../context.ts';
import type { OperationOf } from '../protocol.ts';
import type { PositionRecord, ValidatorRecord } from '../records.ts';
import type { ExecutableTransaction } from '../transaction.ts';
import { payOut } from './outputs.ts';
import { principalOf, putPosition, releaseHeight, withBonded } from './positions.ts';
import { noEffect, type Refusal } from './refusal.ts';

export function withdraw(
  context: CutContext,
  { positionId }: OperationOf<'withdraw'>,
  transaction: ExecutableTransaction,
): Refusal | null {
  const position = present(context.state.get('positions', positionId), 'position');
  const validator = present(context.state.get('validators', position.validatorId), 'validator');
  const left = withoutReleased(context, position, validator);
  const amount = principalOf(position) - principalOf(left);
  if (amount === 0n) return noEffect('nothing_released');
  putPosition(context, positionId, left, validator);
  context.economy.unbonding -= amount;
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
  const released =
    validator.status !== 'active' && releaseHeight(parameters, validator.endHeight) <= height;
  const rest = released ? withBonded(context, position, 0n) : position;
  return { ...rest, unbonding };
}
