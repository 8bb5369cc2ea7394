/**
 * `reward_address`: where the rewards of a position go from now on.
 */
import { present } from '../assertion.ts';
import type { CutContext } from '../context.ts';
import type { OperationOf } from '../protocol.ts';

export function changeRewardAddress(
  context: CutContext,
  { positionId, rewardAddress }: OperationOf<'reward_address'>,
): null {
  const position = present(context.state.get('positions', positionId), 'position');
  context.state.put('positions', positionId, { ...position, rewardAddress });
  return null;
}
