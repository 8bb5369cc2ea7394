/**
 * `heartbeat`: the active consensus key says once in an epoch that its validator is there.
 */
import type { CutContext } from '../context.ts';
import { keyAddress } from '../identifiers.ts';
import type { HeartbeatOperation } from '../operation.ts';
import type { ExecutableTransaction } from '../transaction.ts';
import { wrongOwner } from './owner.ts';
import { noEffect, type Refusal } from './refusal.ts';

export function heartbeat(
  context: CutContext,
  transaction: ExecutableTransaction,
  { validatorId, epoch }: HeartbeatOperation,
): Refusal | null {
  const validator = context.state.get('validators', validatorId);
  if (validator === undefined) return noEffect('validator_unknown');
  const signer = keyAddress(validator.consensusKey.keyHash);
  const wrong = wrongOwner(context, transaction, signer);
  if (wrong !== null) return wrong;
  if (validator.status !== 'active') return noEffect('validator_left');
  if (epoch !== BigInt(context.epoch)) return noEffect('another_epoch');
  if (validator.heartbeatEpoch === context.epoch) return noEffect('heartbeat_repeated');
  context.state.put('validators', validatorId, { ...validator, heartbeatEpoch: context.epoch });
  return null;
}
