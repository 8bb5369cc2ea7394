/**
 * Recovery. The cut after the one that a recovery names begins with another committee: the members that the recovery names,
 * each under a new consensus key, as after a rotation. The other members are jailed, as if the epoch had ended without them.
 * Configuration names the recoveries that a node follows; nothing on the chain asks for one (ADR 0315).
 */
import { invariant, present } from '../assertion.ts';
import type { Hash } from '../context.ts';
import type { ValidatorEvent } from '../cut.ts';
import type { Identifier } from '../identifiers.ts';
import { Overlay } from '../overlay.ts';
import { attendanceWindowOf, JAIL_EPOCHS, type LedgerParameters } from '../parameters.ts';
import type { ChainRecovery } from '../protocol.ts';
import { type Attendance, type EpochRecord, SINGLE_KEY } from '../records.ts';
import type { StateView } from '../view.ts';
import { epochRecordOf } from './committee.ts';

export type RecoveryFault = 'unknown_member' | 'other_stake' | 'not_active' | 'key_used_before';

interface RecoveryPorts {
  readonly hash: Hash;
  readonly parameters: Pick<LedgerParameters, 'interval' | 'recoveries'>;
}

/** The recovery with which the cut after this height begins. */
export function recoveryAfter(
  { recoveries }: Pick<LedgerParameters, 'recoveries'>,
  height: number,
): ChainRecovery | undefined {
  return recoveries.find((recovery) => recovery.height === height);
}

/** What is wrong with a recovery in the state of its cut, or null. Consent was checked with the keys of that state. */
export function recoveryFault(view: StateView, { members }: ChainRecovery): RecoveryFault | null {
  const epoch = present(view.get('epoch', SINGLE_KEY), 'epoch');
  for (const { validatorId, stake, keyHash } of members) {
    const seat = epoch.members.find((member) => member.validatorId === validatorId);
    if (seat === undefined) return 'unknown_member';
    if (seat.stake !== stake) return 'other_stake';
    if (view.get('validators', validatorId)?.status !== 'active') return 'not_active';
    if (view.get('keys', keyHash) !== undefined) return 'key_used_before';
  }
  return null;
}

/** The state before the next cut: it differs from the view where that cut begins with a recovery. */
export function viewForNextCut({ hash, parameters }: RecoveryPorts, view: StateView): StateView {
  const { height } = present(view.get('economy', SINGLE_KEY), 'economy');
  const recovery = recoveryAfter(parameters, height);
  if (recovery === undefined) return view;
  const state = new Overlay(view);
  recoverCommittee({ hash, parameters }, state, recovery);
  return state;
}

/** Writes what the recovery changes; returns who is jailed. */
export function recoverCommittee(
  { hash, parameters }: RecoveryPorts,
  state: Overlay,
  recovery: ChainRecovery,
): ValidatorEvent[] {
  const fault = recoveryFault(state, recovery);
  invariant(fault === null, `the recovery of cut ${recovery.height} cannot be applied: ${fault}`);
  const epoch = present(state.get('epoch', SINGLE_KEY), 'epoch');
  const members = recovery.members.map((named) => {
    replaceKey(state, named);
    const seat = epoch.members.find(({ validatorId }) => validatorId === named.validatorId);
    return { ...present(seat, 'member'), publicKey: named.publicKey };
  });
  const window = attendanceWindowOf(recovery.height + 1, parameters.interval);
  const attendance = presentThrough(window);
  state.put('epoch', SINGLE_KEY, {
    ...epochRecordOf(hash, epoch.epoch, members),
    attendance: members.map(() => attendance),
  });
  return jailOthers(state, epoch, new Set(members.map(({ validatorId }) => validatorId)));
}

function replaceKey(
  state: Overlay,
  { validatorId, publicKey, keyHash }: ChainRecovery['members'][number],
): void {
  const validator = present(state.get('validators', validatorId), 'validator');
  const consensusKey = { publicKey, keyHash };
  state.put('validators', validatorId, { ...validator, consensusKey, pendingKey: null });
  state.put('keys', keyHash, { publicKey });
}

/** Windows up to the recovery count as attended, the running one included: an outage may have cost them. */
function presentThrough(window: number): Attendance {
  return { signatures: 0, windows: (2 << window) - 1 };
}

function jailOthers(
  state: Overlay,
  { epoch, members }: EpochRecord,
  named: ReadonlySet<Identifier>,
): ValidatorEvent[] {
  const untilEpoch = epoch + 1 + JAIL_EPOCHS;
  return members.flatMap(({ validatorId }): ValidatorEvent[] => {
    const validator = state.get('validators', validatorId);
    if (named.has(validatorId) || validator?.status !== 'active') return [];
    state.put('validators', validatorId, { ...validator, jailedUntilEpoch: untilEpoch });
    return [{ type: 'jailed', validatorId, untilEpoch }];
  });
}
