/**
 * What a node lacks, as named troubles: one table of rules for `/ready`, the status, the metrics and `svcd status`.
 * A trouble refuses `/ready` if others are better served elsewhere. The troubles of a validator do not: a node whose
 * validator is jailed answers reads as well as before.
 */
import type { TroubleDocument, TroubleName, ValidatorStatusDocument } from 'svc-api';
import { removalMessage } from './removal-report.ts';

/** What tells whether a node follows the chain. It is asked for each transaction that comes, and looked up nowhere. */
export interface SyncFacts {
  readonly isUpdateRequired: boolean;
  /** Whether the node has nobody to sync from; then it has neither peers nor a pace to keep. */
  readonly isAlone: boolean;
  readonly behindBy: number;
  readonly paceMillis: number;
  /** From the time of the newest cut to now; negative if the clock here is behind it. */
  readonly headAgeMillis: number;
}

/** What the rules judge. */
export interface TroubleFacts extends SyncFacts {
  readonly peers: number;
  readonly finalizedHeight: number;
  /** Undefined if it cannot be read. */
  readonly freeDiskBytes: number | undefined;
  readonly freeDiskBytesMin: number;
  /** Null for a node without a consensus key, and while no validator holds the key. */
  readonly validator: ValidatorStatusDocument | null;
  readonly hasUnregisteredKey: boolean;
  /** Whether the consensus key is with a remote signer that cannot be reached. */
  readonly isSignerAway: boolean;
}

/** This many cuts behind the best peer still counts as synced: they are on their way. */
const LAG_CUTS_MAX = 2;
/** After so many paces without a cut a node no longer counts as synced. */
const FRESH_PACES = 12;
const FRESH_MILLIS_MIN = 30_000;
/** Two thirds of the validators vouch for the time of a final cut: a clock this far before it is wrong. */
const CLOCK_BEHIND_MILLIS_MAX = 10_000;
/** A member of the committee that signed none of so many cuts does not sign. */
const UNSIGNED_CUTS_MAX = 20;
const MEBIBYTE = 2 ** 20;

/** Words for an operator, or null if the node does not lack it. */
type Rule<Facts = TroubleFacts> = (facts: Facts) => string | null;

/** Troubles that mean that the node does not follow the chain. */
const NOT_SYNCED = {
  update_required: ({ isUpdateRequired }) =>
    isUpdateRequired ? 'the network follows rules this release does not know' : null,
  lagging: ({ behindBy }) =>
    behindBy > LAG_CUTS_MAX ? `behind its peers by ${behindBy} cuts` : null,
  standing_still: ({ isAlone, headAgeMillis, paceMillis }) =>
    !isAlone && headAgeMillis >= Math.max(FRESH_MILLIS_MIN, FRESH_PACES * paceMillis)
      ? `no new cut for ${Math.floor(headAgeMillis / 1_000)} s`
      : null,
} as const satisfies Partial<Record<TroubleName, Rule<SyncFacts>>>;

const NOT_READY = {
  ...NOT_SYNCED,
  clock_behind: ({ isAlone, headAgeMillis }) =>
    !isAlone && -headAgeMillis > CLOCK_BEHIND_MILLIS_MAX
      ? `the clock here is ${Math.floor(-headAgeMillis / 1_000)} s behind the newest cut`
      : null,
  no_peers: ({ isAlone, peers }) =>
    !isAlone && peers === 0
      ? 'no other node is connected: check the network and peers.bootstrap'
      : null,
  disk_low: ({ freeDiskBytes, freeDiskBytesMin }) =>
    freeDiskBytes !== undefined && freeDiskBytes < freeDiskBytesMin
      ? `${Math.floor(freeDiskBytes / MEBIBYTE)} MiB are free on the disk of the data directory, expected ${Math.floor(freeDiskBytesMin / MEBIBYTE)}`
      : null,
} as const satisfies Partial<Record<TroubleName, Rule>>;

/** States of a validator that lacks nothing more than a seat. */
const SEATLESS_STATES: readonly string[] = ['active', 'silent', 'paused', 'standby', 'registered'];

const OF_VALIDATOR = {
  validator_unregistered: ({ hasUnregisteredKey }) =>
    hasUnregisteredKey ? 'no validator holds the consensus key' : null,
  validator_stopped: ({ validator }) =>
    validator?.state === 'stopped'
      ? 'the consensus key was seen elsewhere and has stopped for good: see the log'
      : null,
  validator_jailed: ({ validator }) =>
    validator?.state === 'jailed' ? 'the validator missed too many windows of an epoch' : null,
  validator_lapsed: ({ validator }) =>
    validator?.state === 'lapsed' ? 'no heartbeat of the validator was final for two epochs' : null,
  validator_removed: ({ validator }) =>
    validator?.removal === undefined ? null : removalMessage(validator.removal),
  validator_not_in_committee: ({ validator }) =>
    validator !== null && !validator.committee && SEATLESS_STATES.includes(validator.state)
      ? 'the validator has no seat in this epoch'
      : null,
  validator_not_signing: ({ validator, finalizedHeight }) =>
    validator?.committee === true &&
    validator.state !== 'standby' &&
    finalizedHeight - (validator.last_signed_height ?? 0) > UNSIGNED_CUTS_MAX
      ? `the validator has a seat and signed none of the last ${UNSIGNED_CUTS_MAX} cuts`
      : null,
  validator_signer_away: ({ isSignerAway }) =>
    isSignerAway ? 'the remote signer cannot be reached: nothing is signed' : null,
} as const satisfies Partial<Record<TroubleName, Rule>>;

const RULES: Readonly<Record<TroubleName, Rule>> = { ...NOT_READY, ...OF_VALIDATOR };

/** In the order of the table. */
export function troublesOf(facts: TroubleFacts): readonly TroubleDocument[] {
  const names = Object.keys(RULES) as TroubleName[];
  return names.flatMap((name) => {
    const message = RULES[name](facts);
    return message === null ? [] : [{ name, message, refuses_ready: name in NOT_READY }];
  });
}

export function isSynced(facts: SyncFacts): boolean {
  return Object.values(NOT_SYNCED).every((rule: Rule<SyncFacts>) => rule(facts) === null);
}
