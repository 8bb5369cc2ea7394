/**
 * Blocks that wait, for tests: what is held is there until it is executed. Nothing is checked or written.
 */
import { Signal } from 'svc-base/pure';
import type { BlockAdmission, BlockPool, Chain, PooledBlock } from 'svc-serve/ports';

export class FixtureBlocks implements BlockPool {
  readonly accepted = new Signal<PooledBlock>();
  readonly #held = new Map<string, PooledBlock>();

  constructor(chain: Chain) {
    chain.finalized.on(({ input }) => {
      for (const { id } of input.executed) this.#held.delete(id);
    });
  }

  get size(): number {
    return this.#held.size;
  }

  hold(block: PooledBlock): PooledBlock {
    this.#held.set(block.block.id, block);
    this.accepted.emit(block);
    return block;
  }

  async submit(): Promise<BlockAdmission> {
    throw new Error('blocks of the fixture are held, not submitted');
  }

  get(id: string): PooledBlock | undefined {
    return this.#held.get(id);
  }

  carrying(transactionId: string): PooledBlock | undefined {
    return this.#held
      .values()
      .find(({ transactions }) => transactions.some(({ id }) => id === transactionId));
  }

  registrable(): PooledBlock[] {
    return [...this.#held.values()];
  }
}
