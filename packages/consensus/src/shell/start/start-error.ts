/**
 * Why a validator does not start, with the next step for the operator. A validator that stays away costs the others
 * little; one that signs what it forgot costs its bond.
 */
import type { StartFault } from 'svc-consensus/machine';

export class ValidatorStartError extends Error {
  override readonly name = 'ValidatorStartError';
  readonly reason: StartFault;

  constructor(reason: StartFault, place: string) {
    super(`${ADVICE[reason]} (${place})`);
    this.reason = reason;
  }
}

/** The chain here does not reach back to the genesis. */
export class ValidatorHistoryError extends Error {
  override readonly name = 'ValidatorHistoryError';
}

const NEW_RECORD =
  'only if it is certain that no other machine uses this key and its record is lost for good, start with --new-sign-state: it then stays silent for 48 cuts';

const ADVICE: Readonly<Record<StartFault, string>> = {
  sign_state_missing: `the record of what this consensus key signed is missing; restore the file sign-state, or, ${NEW_RECORD}`,
  sign_state_damaged: `the record of what this consensus key signed is damaged; restore the file sign-state from this machine; ${NEW_RECORD}`,
  sign_state_of_another_key:
    'the record of what was signed belongs to another consensus key; give every key a directory of its own',
  sign_state_exists:
    'there is a record of what this consensus key signed already; start without --new-sign-state',
  sign_state_rolled_back:
    'the record of what this consensus key signed is older than the log beside it or than the chain; it was restored from a copy, and signing with it could cost the bond; put the newer file sign-state back, or, if that is lost for good and no other machine uses this key, empty this folder and start with --new-sign-state',
  key_locked:
    'another process on this machine uses this consensus key; stop it first, one process must hold a key',
  key_in_use_elsewhere:
    'this consensus key was seen signing elsewhere and has stopped for good; find the other machine, then rotate to a new key',
  key_retired:
    'this consensus key was replaced by a rotation and never signs again; name the new key in validator.consensus_key_file',
  log_rotten_record:
    'a record of the log of inputs is damaged that was on the disk before; check the disk, and remove the file log to stay silent for the rest of the height',
  log_wrong_sequence:
    'records of the log of inputs are missing; check the disk, and remove the file log to stay silent for the rest of the height',
  log_undecodable:
    'the log of inputs belongs to another chain, release or validator set; give every validator a directory of its own',
  log_of_another_validator:
    'the log of inputs belongs to another validator; give every validator a directory of its own',
  log_ahead_of_chain:
    'the log of inputs is ahead of the chain: the chain was restored from an older copy; let it sync first, then start the validator',
};
