/**
 * `exit`: the validator leaves and every position of it unbonds, delegations included. Positions are
 * not touched: that their validator left in this cut says when they can be withdrawn.
 */
import type { CutContext } from '../context.ts';
import type { Identifier } from '../identifiers.ts';
import type { OperationOf } from '../protocol.ts';
import type { ValidatorRecord, ValidatorStatus } from '../records.ts';
import { activeValidator } from './active-validator.ts';
import type { Refusal } from './refusal.ts';

export function exitValidator(
  context: CutContext,
  { validatorId }: OperationOf<'exit'>,
): Refusal | null {
  const validator = activeValidator(context, validatorId);
  if ('reason' in validator) return validator;
  endValidator(context, validatorId, validator, 'exited');
  context.events.validators.push({ type: 'exited', validatorId });
  return null;
}

/** Ends an active validator: its whole stake begins to unbond. */
export function endValidator(
  context: CutContext,
  validatorId: Identifier,
  validator: ValidatorRecord,
  status: ValidatorStatus,
): ValidatorRecord {
  const ended: ValidatorRecord = {
    ...validator,
    status,
    stake: 0n,
    pendingKey: null,
    pendingEndpoint: null,
    pendingCommission: null,
    endHeight: context.height,
  };
  context.state.put('validators', validatorId, ended);
  context.economy.bonded -= validator.stake;
  context.economy.unbonding += validator.stake;
  return ended;
}
