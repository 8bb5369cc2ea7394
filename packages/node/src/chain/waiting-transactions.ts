/**
 * Transactions of blocks whose cuts wait to be installed, by id: what they make is spent by others that wait too. The database would
 * be asked for those outputs in vain, which costs more than an output that is there. It decides nothing: whoever
 * executes looks at the state.
 */
import type { ExecutableTransaction, Identifier, Outpoint, TransactionOutput } from 'svc-ledger';

export class WaitingTransactions {
  readonly #byId = new Map<Identifier, ExecutableTransaction>();
  /** Registered by the last cut, so that the next one executes them. */
  #executedNext: readonly ExecutableTransaction[] = [];
  /** How many of those are here. */
  #registered = 0;

  /** How many of them no cut has registered yet. */
  get notRegistered(): number {
    return this.#byId.size - this.#registered;
  }

  add(transactions: readonly ExecutableTransaction[]): void {
    for (const transaction of transactions) this.#byId.set(transaction.id, transaction);
  }

  remove(transactions: readonly ExecutableTransaction[]): void {
    for (const { id } of transactions) this.#byId.delete(id);
  }

  /** A cut has executed what the one before it registered, and has registered these. */
  advance(registered: readonly ExecutableTransaction[]): void {
    this.remove(this.#executedNext);
    this.#executedNext = registered;
    this.#registered = registered.filter(({ id }) => this.#byId.has(id)).length;
  }

  readonly findOutput = ({ transactionId, outputIndex }: Outpoint): TransactionOutput | undefined =>
    this.#byId.get(transactionId)?.outputs[outputIndex];
}
