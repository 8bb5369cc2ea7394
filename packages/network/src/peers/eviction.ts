/**
 * Which peer loses its slot when others need it. Protected are those that an attacker cannot cheaply be: the quarter
 * that was connected for the longest, and the quarter that was the most useful. Of the rest the range of addresses
 * with the most peers loses its youngest; among equal ranges the one whose youngest joined last. So newcomers replace
 * each other, wherever they come from.
 */
import { rangeOf } from '../base/addresses.ts';
import type { Peer } from './peer.ts';

export type EvictablePeer = Pick<Peer, 'id' | 'joinedAtMillis' | 'usefulness' | 'address'>;

/** The share of all places that each kind of protection takes. */
const PROTECTED_SHARE = 1 / 4;

/** The earlier peer that has to leave for a newcomer; undefined if all are protected. */
export function peerToEvict<P extends EvictablePeer>(peers: readonly P[]): P | undefined {
  const count = Math.max(1, Math.floor(peers.length * PROTECTED_SHARE));
  let rest = [...peers].sort((a, b) => a.joinedAtMillis - b.joinedAtMillis).slice(count);
  const useful = [...rest]
    .filter(({ usefulness }) => usefulness > 0)
    .sort((a, b) => b.usefulness - a.usefulness)
    .slice(0, count);
  rest = rest.filter((peer) => !useful.includes(peer));
  const byRange = Map.groupBy(rest, ({ address }) =>
    address === undefined ? '' : rangeOf(address.host),
  );
  const [crowded] = [...byRange.values()].sort(
    (a, b) => b.length - a.length || joinedLast(b) - joinedLast(a),
  );
  return crowded?.at(-1);
}

/** When the youngest of these peers joined. */
function joinedLast(peers: readonly EvictablePeer[]): number {
  return peers.at(-1)?.joinedAtMillis ?? 0;
}
