/**
 * The committee of an epoch: the 64 eligible validators with the most stake, ties to the lower id, by the state after
 * the last cut of the epoch before. If none is eligible, the members of the last committee that are still active
 * stay, even if jailed or lapsed. If there are none of those either, the last committee stays as it is and earns
 * nothing. A network never ends up without a committee.
 */
import { invariant } from '../assertion.ts';
import type { Hash } from '../context.ts';
import { bytesOf, compareText, type Identifier } from '../identifiers.ts';
import { COMMITTEE_SIZE_MAX } from '../parameters.ts';
import { LABELS, toHex, Writer } from '../protocol.ts';
import type { CommitteeMember, EpochRecord, ValidatorRecord } from '../records.ts';
import type { StateView } from '../view.ts';
import { NEVER_PRESENT } from './attendance.ts';
import { livenessOf } from './liveness.ts';

type Candidate = readonly [Identifier, ValidatorRecord];

export function nextCommittee(
  view: StateView,
  epoch: number,
  last: readonly CommitteeMember[],
): CommitteeMember[] {
  const validators = view
    .validatorIds()
    .map((id) => [id, view.get('validators', id)] as const)
    .filter((entry): entry is Candidate => entry[1] !== undefined && entry[1].stake > 0n);
  const eligible = validators.filter(([, validator]) => livenessOf(validator, epoch) === 'live');
  if (eligible.length > 0) return seated(eligible);
  const seats = new Set(last.map(({ validatorId }) => validatorId));
  const staying = validators.filter(([id, { status }]) => status === 'active' && seats.has(id));
  if (staying.length > 0) return seated(staying);
  return last.map((member) => ({ ...member, sharesPool: false }));
}

function seated(candidates: readonly Candidate[]): CommitteeMember[] {
  return [...candidates]
    .sort(([a, { stake: stakeA }], [b, { stake: stakeB }]) => {
      if (stakeA !== stakeB) return stakeA > stakeB ? -1 : 1;
      return compareText(a, b);
    })
    .slice(0, COMMITTEE_SIZE_MAX)
    .sort(([a], [b]) => compareText(a, b))
    .map(([validatorId, validator]) => ({
      validatorId,
      publicKey: validator.consensusKey.publicKey,
      stake: validator.stake,
      commissionBps: validator.commissionBps,
      selfBondId: validator.selfBondId,
      sharesPool: true,
    }));
}

export function validatorSetIdOf(hash: Hash, members: readonly CommitteeMember[]): Identifier {
  const writer = new Writer().varint(members.length);
  for (const { validatorId, publicKey, stake } of members) {
    writer.raw(bytesOf(validatorId)).raw(publicKey).u64(stake);
  }
  return toHex(hash(LABELS.validatorSet, writer.finish()));
}

export function epochRecordOf(
  hash: Hash,
  epoch: number,
  members: readonly CommitteeMember[],
): EpochRecord {
  invariant(members.length > 0, 'an epoch without a committee');
  return {
    epoch,
    validatorSetId: validatorSetIdOf(hash, members),
    members,
    attendance: members.map(() => NEVER_PRESENT),
  };
}
