/**
 * What transactions make whose blocks' cuts wait to be installed, by outpoint: others that wait too spend it. The database would
 * be asked for those outputs in vain, which costs more than an output that is there. It decides nothing: whoever
 * executes looks at the state.
 *
 * Outpoints are the names here because whoever executes looks for them too: the engine keeps one copy of every text that names
 * something in a map, and making it takes ten times as long as finding it again. Ids of transactions would be further texts.
 */
import {
  type ExecutableTransaction,
  type Outpoint,
  type OutpointKey,
  outpointKey,
  outputKey,
  type TransactionOutput,
} from 'svc-ledger';

export class WaitingTransactions {
  /** A transaction without outputs is here by its id, so that it is counted. */
  readonly #outputs = new Map<OutpointKey, TransactionOutput | undefined>();
  #size = 0;
  /** Registered by the last cut, so that the next one executes them. */
  #executedNext: readonly ExecutableTransaction[] = [];
  /** How many of those are here. */
  #registered = 0;

  /** How many of them no cut has registered yet. */
  get notRegistered(): number {
    return this.#size - this.#registered;
  }

  add(transactions: readonly ExecutableTransaction[]): void {
    for (const transaction of transactions) {
      const { outputs } = transaction;
      if (!this.#has(transaction)) this.#size++;
      this.#outputs.set(nameOf(transaction), outputs[0]);
      for (let index = 1; index < outputs.length; index++)
        this.#outputs.set(outputKey(transaction, index), outputs[index]);
    }
  }

  remove(transactions: readonly ExecutableTransaction[]): void {
    for (const transaction of transactions) {
      if (!this.#outputs.delete(nameOf(transaction))) continue;
      this.#size--;
      for (let index = 1; index < transaction.outputs.length; index++)
        this.#outputs.delete(outputKey(transaction, index));
    }
  }

  /** A cut has executed what the one before it registered, and has registered these. */
  advance(registered: readonly ExecutableTransaction[]): void {
    this.remove(this.#executedNext);
    this.#executedNext = registered;
    this.#registered = registered.filter((transaction) => this.#has(transaction)).length;
  }

  readonly findOutput = (outpoint: Outpoint): TransactionOutput | undefined =>
    this.#outputs.get(outpointKey(outpoint));

  #has(transaction: ExecutableTransaction): boolean {
    return this.#outputs.has(nameOf(transaction));
  }
}

/** The outpoint of the first output; without outputs the id. */
function nameOf(transaction: ExecutableTransaction): OutpointKey {
  return transaction.outputs.length === 0 ? transaction.id : outputKey(transaction, 0);
}
