/**
 * Which blocks the last cuts registered, read once for each head: hundreds of blocks in a cut name the same
 * few parents, and every list of them is long.
 */
import { RecentBlocks } from 'svc-ledger';
import type { Chain } from 'svc-serve/ports';

export class ParentsMemory {
  readonly #chain: Pick<Chain, 'head' | 'view'>;
  #height = -1;
  #recent: RecentBlocks | undefined;

  constructor(chain: Pick<Chain, 'head' | 'view'>) {
    this.#chain = chain;
  }

  /** For use in the same turn. */
  get recent(): RecentBlocks {
    const { head, view } = this.#chain;
    if (this.#recent === undefined || this.#height !== head.height) {
      this.#height = head.height;
      this.#recent = new RecentBlocks(view, head.height);
    }
    return this.#recent;
  }
}
