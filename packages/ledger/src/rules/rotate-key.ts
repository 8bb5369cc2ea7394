/**
 * `rotate_key`: a new consensus key, never used before, that signs from the second epoch
 * after this one, together with the endpoint that goes with it. One rotation can be pending.
 */
import type { CutContext } from '../context.ts';
import { ENDPOINT_DELAY_EPOCHS, KEY_DELAY_EPOCHS } from '../parameters.ts';
import type { OperationOf } from '../protocol.ts';
import type { ExecutableTransaction } from '../transaction.ts';
import { activeValidator } from './active-validator.ts';
import { isKeyUsed, registerKey } from './key-registry.ts';
import { noEffect, type Refusal } from './refusal.ts';

export function rotateKey(
  context: CutContext,
  { validatorId, consensusKey, endpoint }: OperationOf<'rotate_key'>,
  transaction: ExecutableTransaction,
): Refusal | null {
  const validator = activeValidator(context, validatorId);
  if ('reason' in validator) return validator;
  if (validator.pendingKey !== null) return noEffect('rotation_pending');
  if (isKeyUsed(context, consensusKey)) return noEffect('key_used_before');
  context.state.put('validators', validatorId, {
    ...validator,
    pendingKey: { value: consensusKey, epoch: context.epoch + KEY_DELAY_EPOCHS },
    pendingEndpoint: { value: endpoint, epoch: context.epoch + ENDPOINT_DELAY_EPOCHS },
  });
  registerKey(context, consensusKey, transaction.id);
  return null;
}
