/**
 * `heartbeat`: the active consensus key confirms once in an epoch that its validator is there.
 */
import type { CutContext } from '../context.ts';
import type { OperationOf } from '../protocol.ts';
import { activeValidator } from './active-validator.ts';
import { noEffect, type Refusal } from './refusal.ts';

export function heartbeat(
  context: CutContext,
  { validatorId, epoch }: OperationOf<'heartbeat'>,
): Refusal | null {
  const validator = activeValidator(context, validatorId);
  if ('reason' in validator) return validator;
  if (epoch !== BigInt(context.epoch)) return noEffect('another_epoch');
  if (validator.heartbeatEpoch === context.epoch) return noEffect('heartbeat_repeated');
  context.state.put('validators', validatorId, { ...validator, heartbeatEpoch: context.epoch });
  return null;
}
