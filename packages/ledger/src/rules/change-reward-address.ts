/**
 * `reward_address`: where the rewards of a position go from now on.
 */
import type { CutContext } from '../context.ts';
import type { RewardAddressOperation } from '../operation.ts';
import type { ExecutableTransaction } from '../transaction.ts';
import { wrongOwner } from './owner.ts';
import { noEffect, type Refusal } from './refusal.ts';

export function changeRewardAddress(
  context: CutContext,
  transaction: ExecutableTransaction,
  { positionId, rewardAddress }: RewardAddressOperation,
): Refusal | null {
  const position = context.state.get('positions', positionId);
  if (position === undefined) return noEffect('position_unknown');
  const wrong = wrongOwner(context, transaction, position.ownerAddress);
  if (wrong !== null) return wrong;
  context.state.put('positions', positionId, { ...position, rewardAddress });
  return null;
}
