/**
 * `endpoint`: where the validator is reached, from the second epoch after this one. Owner and active
 * consensus key both sign; a later change takes the place of one that is pending.
 */
import type { CutContext } from '../context.ts';
import { ENDPOINT_DELAY_EPOCHS } from '../parameters.ts';
import type { OperationOf } from '../protocol.ts';
import { activeValidator } from './active-validator.ts';
import { noEffect, type Refusal } from './refusal.ts';

export function changeEndpoint(
  context: CutContext,
  { validatorId, consensusKey, endpoint }: OperationOf<'endpoint'>,
): Refusal | null {
  const validator = activeValidator(context, validatorId);
  if ('reason' in validator) return validator;
  if (validator.consensusKey.keyHash !== consensusKey.keyHash) return noEffect('another_key');
  context.state.put('validators', validatorId, {
    ...validator,
    pendingEndpoint: { value: endpoint, epoch: context.epoch + ENDPOINT_DELAY_EPOCHS },
  });
  return null;
}
