/**
 * A pool of blocks in memory that checks everything but proof of work, for tests of what stands on the pool.
 */
import { type Clock, Signal } from 'svc-base/pure';
import {
  BLOCKS_PER_CUT_MAX,
  blockFault,
  compareBlocks,
  type EconomyRecord,
  isRegistrable,
  SINGLE_KEY,
} from 'svc-ledger';
import type { BlockAdmission, BlockPool, Chain, PooledBlock } from 'svc-serve/ports';
import { SvcError } from 'svc-wasm/base';
import { readWorkBlock } from '../chain/work-blocks.ts';

export class MemoryBlocks implements BlockPool {
  readonly accepted = new Signal<PooledBlock>();
  readonly #chain: Chain;
  readonly #clock: Clock;
  readonly #blocks = new Map<string, PooledBlock>();

  constructor(chain: Chain, clock: Clock) {
    this.#chain = chain;
    this.#clock = clock;
    chain.finalized.on(({ height }) => this.#forget(height));
  }

  get size(): number {
    return this.#blocks.size;
  }

  async submit(header: Uint8Array, body: Uint8Array): Promise<BlockAdmission> {
    try {
      const { manifest, transactions } = this.#chain;
      const block = readWorkBlock({ header, body }, manifest, transactions);
      return this.#admit({ ...block, minerTag: '', receivedAtMillis: this.#clock.now() });
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      return { type: 'refused', code: error.code, message: error.message };
    }
  }

  #admit(pooled: PooledBlock): BlockAdmission {
    const { id, anchorHeight, anchorCutId } = pooled.block;
    if (this.#blocks.has(id)) return { type: 'known', id };
    if (this.#chain.recentCutId(anchorHeight) !== anchorCutId)
      return { type: 'refused', code: 'unknown_anchor', message: 'the anchor is not final' };
    this.#blocks.set(id, pooled);
    this.accepted.emit(pooled);
    return { type: 'accepted', id };
  }

  get(id: string): PooledBlock | undefined {
    return this.#blocks.get(id);
  }

  carrying(transactionId: string): PooledBlock | undefined {
    return [...this.#blocks.values()].find(({ transactions }) =>
      transactions.some(({ id }) => id === transactionId),
    );
  }

  registrable(height: number): PooledBlock[] {
    return [...this.#blocks.values()]
      .filter(({ block }) => blockFault(this.#chain.view, height, block) === null)
      .sort((a, b) => compareBlocks(a.block, b.block))
      .slice(0, BLOCKS_PER_CUT_MAX);
  }

  /** As if it had never come. */
  drop(id: string): void {
    this.#blocks.delete(id);
  }

  #forget(height: number): void {
    for (const [id, { block }] of this.#blocks)
      if (!isRegistrable(block.anchorHeight, height)) this.#blocks.delete(id);
  }
}

/** The economy of a chain now. */
export function economyOf(chain: Chain): EconomyRecord {
  return chain.view.get('economy', SINGLE_KEY) as EconomyRecord;
}
