/**
 * Checks the signatures of a waiting block's transactions before a cut executes the block, so that execution
 * finds them checked: signatures that do not hold too, once and not in every cut that has the block. A transaction
 * that cannot be checked yet (an input is not final, a key is not registered) is left to execution.
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
import type { SignatureChecks } from './signature-checks.ts';

export interface AheadChecksPorts {
  readonly chain: { readonly view: StateView; readonly transactions: WireTransactions };
  readonly workers: Pick<SignatureChecks, 'checkTransaction' | 'hasRoom' | 'room'>;
}

export class AheadChecks {
  readonly #ports: AheadChecksPorts;
  readonly #underWay = new WeakMap<ExecutableTransaction, Promise<boolean>>();

  constructor(ports: AheadChecksPorts) {
    this.#ports = ports;
  }

  /** Resolves with the number of transactions whose signatures hold, when all were tried. */
  async check(transactions: readonly ExecutableTransaction[]): Promise<number> {
    const { workers } = this.#ports;
    let holding = 0;
    const checks: Promise<void>[] = [];
    for (const transaction of transactions) {
      // Jobs that are enqueued without a pause go to a thread together.
      if (!workers.hasRoom('block')) await workers.room('block');
      checks.push(
        this.#checkOnce(transaction).then((holds) => {
          if (holds) holding++;
        }),
      );
    }
    await Promise.all(checks);
    return holding;
  }

  /** Waits for a check that is under way; if that one came too early to succeed, checks again. */
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
    const known = chain.transactions.verdictOn(transaction, spent, owner);
    if (known !== undefined) return known;
    const request = chain.transactions.requestFor(transaction, spent, owner, keys);
    if (request === undefined) return false;
    try {
      const refusal = await workers.checkTransaction(request, 'block');
      if (refusal === null) chain.transactions.accept(transaction, spent, owner);
      else chain.transactions.refuse(transaction, spent, owner);
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
