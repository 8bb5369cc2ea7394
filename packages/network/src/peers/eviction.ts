/**
 * Which peer gives up its place when others need it. Protected are those that an attacker cannot cheaply be: connected
 * for the longest, most useful, and alone in their range of addresses. Of the rest the range with the most peers loses
 * its youngest.
 */
import { rangeOf } from '../base/addresses.ts';
import type { Peer } from './peer.ts';

export type EvictablePeer = Pick<Peer, 'id' | 'joinedAtMillis' | 'usefulness' | 'address'>;

/** The share of all places that each kind of protection takes. */
const PROTECTED_SHARE = 1 / 4;

/** The peer of those that were there before a newcomer which has to go; undefined if all are protected. */
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
  const alone = [...byRange.values()].flatMap((group) => (group.length === 1 ? group : []));
  const distinct = new Set(alone.slice(0, count));
  const groups = [...byRange.values()].filter(
    ([first]) => first !== undefined && !distinct.has(first),
  );
  const largest = groups.reduce<P[]>((a, b) => (b.length > a.length ? b : a), []);
  return largest.at(-1);
}
