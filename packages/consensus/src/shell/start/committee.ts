/**
 * The validators to connect to: the committee, and those that would form the next one now.
 */
import { COMMITTEE_SIZE_MAX, livenessOf, type StateView, type ValidatorRecord } from 'svc-ledger';
import type { OverlayMember } from '../ports/overlay.ts';

export function committeeOf(
  view: StateView,
  members: readonly string[],
  nextEpoch: number,
): OverlayMember[] {
  const likely = view
    .validatorIds()
    .map((id) => [id, view.get('validators', id)] as const)
    .filter((entry): entry is [string, ValidatorRecord] => isLikely(entry[1], nextEpoch))
    .sort(([, a], [, b]) => (a.stake === b.stake ? 0 : a.stake > b.stake ? -1 : 1))
    .slice(0, COMMITTEE_SIZE_MAX)
    .map(([id]) => id);
  return [...new Set([...members, ...likely])].map((validatorId) => ({
    validatorId,
    endpoint: view.get('validators', validatorId)?.endpoint ?? new Uint8Array(0),
  }));
}

function isLikely(validator: ValidatorRecord | undefined, nextEpoch: number): boolean {
  return (
    validator !== undefined && validator.stake > 0n && livenessOf(validator, nextEpoch) === 'live'
  );
}
