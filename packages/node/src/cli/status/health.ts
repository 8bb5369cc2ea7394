/**
 * How well a node is, from 0 to 10, with the reasons for every point that is missing.
 */
import type { StatusDocument, SyncDocument } from 'svc-api';

export const HEALTH_BEST = 10;
/** A node below this score needs attention. */
export const HEALTH_GOOD = 6;

export interface Deduction {
  readonly points: number;
  readonly reason: string;
}

export interface Health {
  readonly score: number;
  readonly deductions: readonly Deduction[];
}

export interface HealthFacts {
  readonly status: StatusDocument;
  readonly sync: SyncDocument;
  /** Milliseconds since the time in the last final cut; null if that time is not known. */
  readonly headAgeMillis: number | null;
}

const HEAD_AGE_MILLIS = 60_000;
const CLOCK_BEHIND_MILLIS = 10_000;
const UNSIGNED_CUTS = 20;

type Rule = (facts: HealthFacts) => Deduction | null;

const RULES: readonly Rule[] = [
  ({ status }) =>
    status.update_required
      ? { points: 10, reason: 'the network follows rules this release does not know: update it' }
      : null,
  ({ status }) =>
    status.update_announced ? { points: 1, reason: 'a peer runs a newer release' } : null,
  ({ sync }) =>
    sync.synced
      ? null
      : {
          points: 4,
          reason:
            sync.behind_by > 0
              ? `behind its peers by ${sync.behind_by} cuts`
              : 'does not follow the chain: GET /ready says why',
        },
  ({ status: { network, peers } }) =>
    network !== 'development' && peers.inbound + peers.outbound === 0
      ? { points: 4, reason: 'no peers: check the network and peers.bootstrap' }
      : null,
  ({ status: { network, peers } }) =>
    network !== 'development' && peers.inbound === 0 && peers.outbound > 0
      ? { points: 1, reason: 'no peer connects from outside: open the port of peers.listen' }
      : null,
  ({ headAgeMillis }) =>
    headAgeMillis !== null && headAgeMillis > HEAD_AGE_MILLIS
      ? { points: 3, reason: `no new cut for ${Math.round(headAgeMillis / 1_000)} s` }
      : null,
  ({ headAgeMillis }) =>
    headAgeMillis !== null && headAgeMillis < -CLOCK_BEHIND_MILLIS
      ? {
          points: 3,
          reason: `the clock is ${Math.round(-headAgeMillis / 1_000)} s behind the newest cut: check the time service`,
        }
      : null,
  ({ status }) =>
    status.validator_waits === true
      ? { points: 1, reason: 'no validator holds the consensus key: it waits for a registration' }
      : null,
  ({ status: { validator } }) =>
    validator !== null && validator.state === 'stopped'
      ? { points: 5, reason: 'the consensus key has stopped for good: see the log' }
      : null,
  ({ status: { validator } }) =>
    validator !== null && ['lapsed', 'jailed', 'removed'].includes(validator.state)
      ? { points: 3, reason: `the validator is ${validator.state}` }
      : null,
  ({ status: { validator, finalized_height: height } }) =>
    validator?.committee === true && height - (validator.last_signed_height ?? 0) > UNSIGNED_CUTS
      ? { points: 3, reason: `in the committee and no signature for ${UNSIGNED_CUTS} cuts` }
      : null,
];

export function healthOf(facts: HealthFacts): Health {
  const deductions = RULES.map((rule) => rule(facts)).filter((found) => found !== null);
  const missing = deductions.reduce((sum, { points }) => sum + points, 0);
  return { score: Math.max(0, HEALTH_BEST - missing), deductions };
}
