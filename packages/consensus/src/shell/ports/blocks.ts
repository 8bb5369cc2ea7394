/**
 * Work blocks that wait to be registered, and ordinary peers that may have more of them.
 */
import type { Later } from '../base/later.ts';

export interface BlockBytes {
  readonly id: string;
  readonly header: Uint8Array;
  readonly body: Uint8Array;
}

export interface PooledBlock {
  readonly bytes: BlockBytes;
}

export interface ValidatorBlocks {
  /** Emits every block that arrives here; `on` returns a function that unsubscribes. */
  readonly accepted: { on(listener: (block: PooledBlock) => void): () => void };
  get(id: string): PooledBlock | undefined;
  /**
   * Takes a block that a proposal for the next height names. Answers once the block was checked and, if it was found
   * good, is durable: a vote may follow. Peers must have no means to make it refuse a good block. If room is short,
   * blocks for which `isNeeded` is false are dropped.
   */
  submit(header: Uint8Array, body: Uint8Array, isNeeded: (id: string) => boolean): Later<unknown>;
}

export interface BlockPeers {
  /** Asks several peers one after another; answers with the blocks that came. */
  fetchBlocks(ids: readonly string[], timeoutMillis: number): Later<readonly BlockBytes[]>;
}

export const NO_BLOCK_PEERS: BlockPeers = { fetchBlocks: () => [] };
