/**
 * Payments that need more outputs than one transaction takes: first the outputs are merged, then the payment
 * is made. Merging pays nobody, so it may be planned anew after a failure; the payment itself is made once.
 */
import { sleep } from 'svc-base/pure';
import { WalletError } from '../base/wallet-error.ts';
import { mergeOutputs } from './merge-outputs.ts';
import type { OutgoingPorts } from './outgoing-ports.ts';
import { recordTransactions } from './record.ts';

const POLL_MILLIS = 200;
const RETRY_MILLIS = 1_000;
/** How long a call waits for its payment to be made before the caller is told to ask again. */
const WAIT_MILLIS_MAX = 20_000;
const TRANSACTIONS_PER_ROUND = 8;
export const NAME_IS_USED = 'nothing was paid, and nothing will be under this request_id';

export class CompoundFirst {
  readonly #ports: OutgoingPorts;
  readonly #driven = new Map<number, Promise<void>>();

  constructor(ports: OutgoingPorts) {
    this.#ports = ports;
  }

  /**
   * Returns whether the payment was made or refused in time. Throws the error of a request that led to nothing.
   */
  async waitFor(id: number): Promise<boolean> {
    const waited = new AbortController();
    const isMade = await Promise.race([
      this.drive(id).then(() => true),
      sleep(this.#ports.clock, WAIT_MILLIS_MAX, waited.signal).then(() => false),
    ]);
    waited.abort();
    return isMade;
  }

  /**
   * Merges outputs and tries the payment again until it is made or impossible; a request is driven once at a time.
   */
  drive(id: number): Promise<void> {
    let driven = this.#driven.get(id);
    if (driven === undefined) {
      driven = this.#drive(id).finally(() => this.#driven.delete(id));
      this.#driven.set(id, driven);
    }
    return driven;
  }

  async #drive(id: number): Promise<void> {
    const { clock, state } = this.#ports;
    for (;;) {
      try {
        if (await this.#step(id)) return;
      } catch (error) {
        if (!(error instanceof WalletError) || error.code === -32000) throw error;
        await sleep(clock, RETRY_MILLIS);
      }
      for (const transaction of state.journal.transactionsOf(id)) {
        if (transaction.state === 'built') await this.#ports.sender.send(transaction.id);
      }
      while (state.database.isOpen && this.#isMerging(id)) await sleep(clock, POLL_MILLIS);
      if (!state.database.isOpen) return;
    }
  }

  #isMerging(id: number): boolean {
    const { state } = this.#ports;
    return state.journal.transactionsOf(id).some((transaction) => transaction.state !== 'final');
  }

  /** Makes the payment, or the next round of merging; tells whether the payment is made. */
  #step(id: number): Promise<boolean> {
    const { clock, makerOf, state, workshop } = this.#ports;
    const asked = state.journal.request(id);
    const make = makerOf(asked.method, JSON.parse(asked.params));
    return workshop.withBench(false, async (bench) => {
      try {
        const made = await make(bench);
        state.database.transaction(() => {
          recordTransactions(state, asked, made.transactions, bench, clock);
          state.journal.finishRequest(id, JSON.stringify(made.result));
        });
        return true;
      } catch (error) {
        if (!(error instanceof WalletError)) throw error;
        if (error.kind !== 'too_many_inputs') throw this.#refuse(id, error);
      }
      const round = await mergeOutputs(bench, bench.largest(coinsPerRound(bench)));
      try {
        state.database.transaction(() => recordTransactions(state, asked, round, bench, clock));
      } catch (error) {
        if (!(error instanceof WalletError)) throw error;
        throw this.#refuse(id, error);
      }
      return false;
    });
  }

  /**
   * Records that the request is impossible. If nothing was made for it, the request is forgotten and its name is
   * free again.
   */
  #refuse(id: number, error: WalletError): WalletError {
    const { state } = this.#ports;
    if (error.code !== -32000) return error;
    const { kind, message } = error;
    if (state.journal.transactionsOf(id).length === 0) {
      state.journal.forgetRequest(id);
      return error;
    }
    state.journal.refuseRequest(id, JSON.stringify({ kind, message }));
    // The refusal stays with the name, so that nothing is told of when to repeat.
    return new WalletError(kind, message, { hint: NAME_IS_USED, cause: error });
  }
}

function coinsPerRound({ context }: { context: { terms: { inputsMax: number } } }): number {
  return TRANSACTIONS_PER_ROUND * context.terms.inputsMax;
}
