/**
 * `unbond`: an amount of a position stops counting and can be withdrawn ten intervals later. What stays bonded is
 * nothing or the minimum of a position at least. A validator's own bond does not fall below its minimum this way;
 * only its exit frees that.
 */
import { present } from '../assertion.ts';
import type { CutContext } from '../context.ts';
import { SELF_BOND_MIN, UNBONDING_CHUNKS_MAX } from '../parameters.ts';
import type { OperationOf } from '../protocol.ts';
import { activeValidator } from './active-validator.ts';
import { releaseHeight, withBonded } from './positions.ts';
import { noEffect, type Refusal } from './refusal.ts';
import { unbondSlashable } from './slashable.ts';

export function unbond(
  context: CutContext,
  { positionId, amount }: OperationOf<'unbond'>,
): Refusal | null {
  const position = present(context.state.get('positions', positionId), 'position');
  const { validatorId } = position;
  const validator = activeValidator(context, validatorId);
  if ('reason' in validator) return validator;
  if (amount > position.bonded) return noEffect('more_than_bonded');
  const bonded = position.bonded - amount;
  if (position.kind === 'self_bond' && bonded < SELF_BOND_MIN) return noEffect('below_self_bond');
  if (bonded > 0n && bonded < context.parameters.positionMin) {
    return noEffect('below_position_minimum');
  }
  if (position.unbonding.length >= UNBONDING_CHUNKS_MAX) return noEffect('too_many_unbondings');
  const chunk = { amount, releaseHeight: releaseHeight(context.parameters, context.height) };
  context.state.put('positions', positionId, {
    ...withBonded(context, position, bonded),
    unbonding: [...position.unbonding, chunk],
  });
  const stake = validator.stake - amount;
  const slashable = unbondSlashable(context, position, validator, chunk);
  context.state.put('validators', validatorId, { ...validator, ...slashable, stake });
  context.economy.bonded -= amount;
  context.economy.unbonding += amount;
  return null;
}
