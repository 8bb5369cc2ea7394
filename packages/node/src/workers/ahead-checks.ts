/**
 * Checks the signatures of a waiting block's transactions before a cut executes it, so that execution finds
 * them checked. It decides nothing: what it cannot check now (an input that is not final yet, a key that is
 * not registered yet), and what does not hold, is for execution to judge.
 */
import {
  type ExecutableTransaction,
  operationOwner,
  outpointKey,
  type StateView,
  type TransactionOutput,
  type WireTransactions,
} from 'svc-ledger';
import { WorkersError } from './errors.ts';
import type { SignatureWorkers } from './signature-workers.ts';

export interface AheadPorts {
  readonly chain: { readonly view: StateView; readonly transactions: WireTransactions };
  readonly workers: Pick<SignatureWorkers, 'checkTransaction' | 'hasRoom' | 'room'>;
}

export class AheadChecks {
  readonly #ports: AheadPorts;
  readonly #underWay = new WeakMap<ExecutableTransaction, Promise<boolean>>();

  constructor(ports: AheadPorts) {
    this.#ports = ports;
  }

  /** Resolves when all are looked at; how many hold. */
  async check(transactions: readonly ExecutableTransaction[]): Promise<number> {
    const { workers } = this.#ports;
    let held = 0;
    const checks: Promise<void>[] = [];
    for (const transaction of transactions) {
      // Without a pause in between they go to a thread together.
      if (!workers.hasRoom('block')) await workers.room('block');
      checks.push(
        this.#checkOnce(transaction).then((holds) => {
          if (holds) held++;
        }),
      );
    }
    await Promise.all(checks);
    return held;
  }

  /** What is being checked already is waited for; if that came too early, it is checked again. */
  async #checkOnce(transaction: ExecutableTransaction): Promise<boolean> {
    if (await this.#underWay.get(transaction)) return true;
    const checking = this.#checkOne(transaction);
    this.#underWay.set(transaction, checking);
    try {
      return await checking;
    } finally {
      if (this.#underWay.get(transaction) === checking) this.#underWay.delete(transaction);
    }
  }

  async #checkOne(transaction: ExecutableTransaction): Promise<boolean> {
    const { chain, workers } = this.#ports;
    const { view } = chain;
    const spent = this.#spentBy(transaction);
    if (spent === undefined) return false;
    const { operation } = transaction;
    const owner = operation === null ? null : operationOwner(view, operation);
    if (owner !== null && typeof owner !== 'string') return false;
    const keys = (hash: string) => view.get('keys', hash);
    if (chain.transactions.isAccepted(transaction, spent, owner)) return true;
    const request = chain.transactions.requestFor(transaction, spent, owner, keys);
    if (request === undefined) return false;
    try {
      const refusal = await workers.checkTransaction(request, 'block');
      if (refusal === null) chain.transactions.accept(transaction, spent, owner);
      return refusal === null;
    } catch (error) {
      if (error instanceof WorkersError) return false;
      throw error;
    }
  }

  #spentBy({ inputs }: ExecutableTransaction): TransactionOutput[] | undefined {
    const spent = inputs.map((input) => this.#ports.chain.view.get('outputs', outpointKey(input)));
    const found = spent.filter((output) => output !== undefined);
    return found.length === spent.length ? found : undefined;
  }
}
