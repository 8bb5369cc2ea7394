/**
 * Detects whether cuts that a stream has yielded were reverted. Final cuts stay final, but a development network can
 * be reverted to a snapshot: then its head is lower, or other cuts are at the yielded heights. On every other network
 * a lower head is that of a node which is behind.
 */
import type { Caller } from '../http/transport.ts';

/** Cuts whose ids a stream remembers; a revert over more of them is taken for one to before the first. */
export const REMEMBERED_CUTS_MAX = 256;

/** The ids of the last cuts that a stream has given, by height. */
export type GivenCuts = ReadonlyMap<number, string>;

/** The height above which yielded cuts were reverted; undefined if none were, or if the node does not say. */
export async function revertedTo(
  reads: Caller,
  given: GivenCuts,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const newest = Math.max(...given.keys());
  const options = signal === undefined ? {} : { signal };
  try {
    const { network, cut } = await reads.call('chainHead', {}, options);
    if (network !== 'development') return undefined;
    let height = Math.min(cut.height, newest);
    for (; height > 0 && given.has(height); height--) {
      const found = await reads.call('cut', { height }, options);
      if (found.cut.cut_id === given.get(height)) break;
    }
    return height < newest ? height : undefined;
  } catch {
    return undefined; // The stream continues, and the next connection asks again.
  }
}
