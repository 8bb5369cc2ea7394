/**
 * Liveness: which validators may be in the committee of an epoch. A heartbeat holds for the epoch it was made in
 * and two more; registering counts as the first.
 */
import { HEARTBEAT_EPOCHS } from '../parameters.ts';
import type { ValidatorRecord } from '../records.ts';

export type Liveness = 'live' | 'registered' | 'lapsed' | 'jailed' | 'exited' | 'removed';

/** Whether two epochs have passed without a heartbeat when the given one begins. */
export function isLapsed(validator: ValidatorRecord, epoch: number): boolean {
  const { heartbeatEpoch, registeredEpoch } = validator;
  return epoch - (heartbeatEpoch ?? registeredEpoch) > HEARTBEAT_EPOCHS;
}

/** The state of a validator in an epoch; only `live` ones are eligible for its committee. */
export function livenessOf(validator: ValidatorRecord, epoch: number): Liveness {
  if (validator.status !== 'active') return validator.status;
  if (epoch < validator.jailedUntilEpoch) return 'jailed';
  if (isLapsed(validator, epoch)) return 'lapsed';
  return epoch < validator.eligibleFromEpoch ? 'registered' : 'live';
}
