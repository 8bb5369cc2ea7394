/** The ladder with blocks of a size, so that what is pruned weighs something. */
import type { LedgerStore } from '../../src/ledger-store.ts';
import { applyLadder, commitOf, ladderInput, startLadder } from './ladder-chain.ts';

export async function climbWithBlocks(
  store: LedgerStore,
  height: number,
  blockBytes: number,
): Promise<void> {
  if (store.head === null) await startLadder(store);
  for (let next = (store.head?.height ?? 0) + 1; next <= height; next++) {
    const chain = { chainId: store.chainId, parentCutId: store.head?.cutId ?? '' };
    const commit = commitOf(ladderInput(next), applyLadder(store, next), chain);
    const body = new Uint8Array(blockBytes).fill(next);
    await store.commit({ ...commit, blocks: commit.blocks.map((block) => ({ ...block, body })) });
  }
}

/** Every record of a store. */
export const EVERYTHING = { from: Uint8Array.of(0), to: Uint8Array.of(0xff) };
