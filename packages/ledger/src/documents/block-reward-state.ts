/**
 * The reward state of a work block. `paid` and `expired` are final.
 */
import { registrationWindowEnd } from '../rules/registration.ts';

export type BlockRewardState = 'waiting' | 'registered' | 'paid' | 'expired';

export interface BlockRewardFacts {
  readonly anchorHeight: number;
  /** The cut that registered the block, or null. */
  readonly registeredHeight: number | null;
}

export function blockRewardState(
  { anchorHeight, registeredHeight }: BlockRewardFacts,
  finalizedHeight: number,
): BlockRewardState {
  const end = registrationWindowEnd(anchorHeight);
  if (registeredHeight !== null && registeredHeight <= finalizedHeight) {
    return finalizedHeight >= end ? 'paid' : 'registered';
  }
  return finalizedHeight + 1 >= end ? 'expired' : 'waiting';
}
