/**
 * `endpoint`: where the validator is reached, from the second epoch after this one. Owner and active
 * consensus key both sign; a later change takes the place of one that is pending.
 */
import type { CutContext } from '../context.ts';
import type { EndpointOperation } from '../operation.ts';
import { ENDPOINT_DELAY_EPOCHS } from '../parameters.ts';
import type { ExecutableTransaction } from '../transaction.ts';
import { ownedValidator } from './owner.ts';
import { invalid, noEffect, type Refusal } from './refusal.ts';

export function changeEndpoint(
  context: CutContext,
  transaction: ExecutableTransaction,
  { validatorId, consensusKey, endpoint }: EndpointOperation,
): Refusal | null {
  const validator = ownedValidator(context, transaction, validatorId);
  if ('reason' in validator) return validator;
  if (!context.signatures.possession(transaction)) return invalid('wrong_possession');
  if (validator.consensusKey.keyHash !== consensusKey.keyHash) return noEffect('another_key');
  context.state.put('validators', validatorId, {
    ...validator,
    pendingEndpoint: { value: endpoint, epoch: context.epoch + ENDPOINT_DELAY_EPOCHS },
  });
  return null;
}
