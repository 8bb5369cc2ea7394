/**
 * Transactions that wait, in memory and taken on trust, for tests of what submits them.
 */
import { outpointKey } from 'svc-ledger';
import type { Admission, Chain, Mempool, Origin, PooledTransaction } from 'svc-serve/ports';

export class TrustingMempool implements Pick<Mempool, 'submit' | 'get' | 'spenderOf'> {
  readonly #chain: Chain;
  readonly #waiting = new Map<string, PooledTransaction>();
  submitted = 0;

  constructor(chain: Chain) {
    this.#chain = chain;
    chain.finalized.on(({ result }) => {
      for (const { transactionId } of result.events.outcomes) this.#waiting.delete(transactionId);
    });
  }

  async submit(wire: Uint8Array, origin: Origin): Promise<Admission> {
    const transaction = this.#chain.transactions.decode(wire);
    const { id, mass } = transaction;
    if (this.#waiting.has(id)) return { type: 'known', id };
    this.submitted += 1;
    const rest = { spent: [], fee: 0n, mass, origin, receivedAtMillis: 0 };
    this.#waiting.set(id, { id, wire, transaction, ...rest });
    return { type: 'accepted', id };
  }

  get(id: string): PooledTransaction | undefined {
    return this.#waiting.get(id);
  }

  spenderOf(outpoint: string): PooledTransaction | undefined {
    return [...this.#waiting.values()].find(({ transaction }) =>
      transaction.inputs.some((input) => outpointKey(input) === outpoint),
    );
  }

  wires(): Uint8Array[] {
    return [...this.#waiting.values()].map(({ wire }) => wire);
  }
}
