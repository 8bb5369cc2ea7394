/**
 * `commission`: 0 % to 10 % in steps of 0.1 %, from the fourteenth epoch after this one. One change
 * can be pending.
 */
import type { CutContext } from '../context.ts';
import { COMMISSION_BPS_MAX, COMMISSION_BPS_STEP, COMMISSION_DELAY_EPOCHS } from '../parameters.ts';
import type { OperationOf } from '../protocol.ts';
import { activeValidator } from './active-validator.ts';
import { invalid, noEffect, type Refusal } from './refusal.ts';

export function isCommission(bps: number): boolean {
  return bps >= 0 && bps <= COMMISSION_BPS_MAX && bps % COMMISSION_BPS_STEP === 0;
}

export function changeCommission(
  context: CutContext,
  { validatorId, commissionBps }: OperationOf<'commission'>,
): Refusal | null {
  if (!isCommission(commissionBps)) return invalid('bad_commission');
  const validator = activeValidator(context, validatorId);
  if ('reason' in validator) return validator;
  if (validator.pendingCommission !== null) return noEffect('commission_pending');
  context.state.put('validators', validatorId, {
    ...validator,
    pendingCommission: { value: commissionBps, epoch: context.epoch + COMMISSION_DELAY_EPOCHS },
  });
  return null;
}
