/**
 * `reward_address`: where the rewards of a position go from now on.
 */
import { present } from '../assertion.ts';
import type { CutContext } from '../context.ts';
import type { RewardAddressOperation } from '../operation.ts';

export function changeRewardAddress(
  context: CutContext,
  { positionId, rewardAddress }: RewardAddressOperation,
): null {
  const position = present(context.state.get('positions', positionId), 'position');
  context.state.put('positions', positionId, { ...position, rewardAddress });
  return null;
}
