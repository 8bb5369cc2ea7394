/**
 * Asks one peer after another for something that only some of them have, until one gives it.
 */
import { type Clock, sleep } from 'svc-base/pure';
import type { SyncPeer } from './sync-peer.ts';
import type { SyncPeers } from './sync-peers.ts';

export interface RequestTracker {
  /** Only peers that claim this height are asked; any peer if it is absent. */
  readonly height?: number | undefined;
  /** Whether only peers are asked that claim to have the blocks of that height. */
  readonly hasBlocks: boolean;
}

/** How long peers are waited for that can be asked. */
const PATIENCE_MILLIS = 30_000;
const RETRY_MILLIS = 250;

export interface AskPorts {
  readonly sources: SyncPeers;
  readonly clock: Clock;
  /** Whether the answer is no longer needed. */
  readonly isOver?: () => boolean;
}

/** Undefined if none of the peers that can be asked within the time has it. */
export async function askInTurn<T>(
  { sources, clock, isOver = () => false }: AskPorts,
  { height, hasBlocks }: RequestTracker,
  request: (source: SyncPeer) => Promise<T | undefined>,
): Promise<T | undefined> {
  const asked = new Set<SyncPeer>();
  const end = clock.monotonic() + PATIENCE_MILLIS;
  while (clock.monotonic() < end && !isOver()) {
    const source = sources.pick(height, hasBlocks, asked);
    if (source === undefined) {
      if (asked.size > 0) return undefined;
      await sleep(clock, RETRY_MILLIS);
      continue;
    }
    asked.add(source);
    // A peer that lacks it is no worse than others: it may have been pruned there.
    const answer = await sources.ask(source, async () => (await request(source)) ?? null);
    if (answer === undefined || answer === null) continue;
    sources.delivered(source);
    return answer;
  }
  return undefined;
}
