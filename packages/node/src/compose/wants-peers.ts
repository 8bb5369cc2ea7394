/**
 * Whether a node has peers at all: one that neither listens nor knows anybody has none, and need not load what
 * peers take.
 */
import type { PeersConfig } from '../config/node-config.ts';

export function wantsPeers({ listenHosts, bootstrap }: PeersConfig): boolean {
  return listenHosts.length > 0 || bootstrap.length > 0;
}
