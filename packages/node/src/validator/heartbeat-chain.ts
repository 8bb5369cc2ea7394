/**
 * The chain of a node as the sender of heartbeats sees it.
 */
import type { FeeCoin, HeartbeatChain } from 'svc-consensus/shell';
import type { Chain } from 'svc-serve/ports';
import { PAGE_LIMITS, readAtHead } from 'svc-storage';

export class HeartbeatChainPort implements HeartbeatChain {
  readonly #chain: Chain;

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  get parameters(): HeartbeatChain['parameters'] {
    return this.#chain.parameters;
  }

  get manifest(): HeartbeatChain['manifest'] {
    return this.#chain.manifest;
  }

  get transactions(): HeartbeatChain['transactions'] {
    return this.#chain.transactions;
  }

  get head(): HeartbeatChain['head'] {
    return this.#chain.head;
  }

  get view(): HeartbeatChain['view'] {
    return this.#chain.view;
  }

  get finalized(): HeartbeatChain['finalized'] {
    return this.#chain.finalized;
  }

  async coinsOf(address: string): Promise<FeeCoin[]> {
    const { rows } = await readAtHead(this.#chain, (reader) =>
      reader.utxos(address, { limit: PAGE_LIMITS.utxos }),
    );
    return rows.map(({ outpoint, amount }) => ({ outpoint, amount }));
  }
}
