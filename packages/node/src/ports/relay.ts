/**
 * What a node asks of its peers: cuts and blocks that it lacks. A node without peers has none
 * of it.
 */
import type { BlockBytes } from 'svc-storage';

export interface PeerCounts {
  readonly inbound: number;
  readonly outbound: number;
}

export interface Relay {
  readonly peers: PeerCounts;
  /** The highest cut that a peer has shown a certificate for; null if none has. */
  readonly bestPeerHeight: number | null;
  /** Whether no credible peer claims to be ahead; true without peers. */
  readonly isSynced: boolean;
  /** Asks for blocks by id, from several peers one after another; resolves with those that came. */
  fetchBlocks(ids: readonly string[], timeoutMillis: number): Promise<BlockBytes[]>;
}

export const NO_PEERS: Relay = {
  peers: { inbound: 0, outbound: 0 },
  bestPeerHeight: null,
  isSynced: true,
  fetchBlocks: async () => [],
};

/** Whether a peer is connected and no peer shows a newer cut. */
export function isCurrent(
  { head }: { readonly head: { readonly height: number } },
  { peers, isSynced, bestPeerHeight }: Pick<Relay, 'peers' | 'isSynced' | 'bestPeerHeight'>,
): boolean {
  if (peers.inbound + peers.outbound === 0 || !isSynced) return false;
  return (bestPeerHeight ?? 0) <= head.height;
}
