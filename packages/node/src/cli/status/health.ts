/**
 * How well a node is, from 0 to 10, with the reasons for every point that is missing.
 */
import type { StatusDocument, TroubleName } from 'svc-api';

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

/** What the node says of itself. */
export type HealthFacts = Pick<
  StatusDocument,
  'network' | 'troubles' | 'update_announced' | 'peers'
>;

/** What each trouble costs; one that only a newer release knows costs a point. */
const TROUBLE_POINTS: Readonly<Record<TroubleName, number>> = {
  update_required: 10,
  lagging: 4,
  standing_still: 7,
  clock_behind: 3,
  no_peers: 4,
  disk_low: 4,
  validator_unregistered: 1,
  validator_stopped: 5,
  validator_jailed: 3,
  validator_lapsed: 3,
  validator_removed: 3,
  validator_not_in_committee: 1,
  validator_not_signing: 3,
  validator_signer_away: 3,
};

export function healthOf(facts: HealthFacts): Health {
  const { network, troubles, update_announced: isAnnounced, peers } = facts;
  const deductions = troubles.map(({ name, message }) => ({
    points: TROUBLE_POINTS[name] ?? 1,
    reason: `${name}: ${message}`,
  }));
  if (isAnnounced) deductions.push({ points: 1, reason: 'a peer runs a newer release' });
  if (network !== 'development' && peers.inbound === 0 && peers.outbound > 0)
    deductions.push({
      points: 1,
      reason: 'no peer connects from outside: open the port of peers.listen',
    });
  const missing = deductions.reduce((sum, { points }) => sum + points, 0);
  return { score: Math.max(0, HEALTH_BEST - missing), deductions };
}
