/**
 * Checks the signatures of a waiting block's transactions before a cut executes the block, so that execution
 * finds them checked: signatures that do not hold too, once and not in every cut that has the block. A transaction may spend what
 * another makes that waits as well; the verdict counts if that is what it spends in the end, else execution checks the signatures
 * itself. A transaction that cannot be checked yet (an input is unknown, a key is not registered) is left to execution.
 */
import {
  type Address,
  type ExecutableTransaction,
  operationOwner,
  outpointKey,
  type StateView,
  type TransactionOutput,
  type WireTransactions,
} from 'svc-ledger';
import type { VerifyRequest } from 'svc-wasm/protocol';
import type { FindWaitingOutput } from '../chain/certified-blocks.ts';
import { type SignatureChecks, WorkersError } from './signature-checks.ts';

export interface AheadChecksPorts {
  readonly chain: { readonly view: StateView; readonly transactions: WireTransactions };
  readonly workers: Pick<SignatureChecks, 'checkTransaction' | 'hasRoom' | 'room'>;
}

/** What a check is about, and so what its verdict holds for. */
interface CheckedSubject {
  readonly transaction: ExecutableTransaction;
  readonly spent: readonly TransactionOutput[];
  readonly owner: Address | null;
}

export class AheadChecks {
  readonly #ports: AheadChecksPorts;
  /** Each is taken out when it ends, so nothing is kept alive; a weak map costs the garbage collector more. */
  readonly #underWay = new Map<ExecutableTransaction, Promise<boolean>>();

  constructor(ports: AheadChecksPorts) {
    this.#ports = ports;
  }

  /** Resolves with the number of transactions whose signatures hold, when all were tried. */
  async check(
    transactions: readonly ExecutableTransaction[],
    findWaiting: FindWaitingOutput = () => undefined,
  ): Promise<number> {
    const { workers } = this.#ports;
    let holding = 0;
    const checks: Promise<void>[] = [];
    const count = (holds: boolean): void => {
      if (holds) holding++;
    };
    for (const transaction of transactions) {
      // Jobs that are enqueued without a pause go to a thread together.
      if (!workers.hasRoom('block')) await workers.room('block');
      const holds = this.#checkOnce(transaction, findWaiting);
      if (typeof holds === 'boolean') count(holds);
      else checks.push(holds.then(count));
    }
    await Promise.all(checks);
    return holding;
  }

  /** Waits for a check that is under way; if that one came too early to succeed, checks again. */
  #checkOnce(
    transaction: ExecutableTransaction,
    findWaiting: FindWaitingOutput,
  ): boolean | Promise<boolean> {
    const earlier = this.#underWay.get(transaction);
    if (earlier === undefined) return this.#begin(transaction, findWaiting);
    return earlier.then((holds) => holds || this.#begin(transaction, findWaiting));
  }

  /** An answer if one is known without a check: cuts that are executed find most of theirs so. */
  #begin(
    transaction: ExecutableTransaction,
    findWaiting: FindWaitingOutput,
  ): boolean | Promise<boolean> {
    const { transactions, view } = this.#ports.chain;
    const { operation } = transaction;
    // The owner of an operation may change; what an input spends does not.
    const last = operation === null ? transactions.lastVerdictOn(transaction) : undefined;
    if (last !== undefined) return last;
    const spent = this.#spentBy(transaction, findWaiting);
    if (spent === undefined) return false;
    const owner = operation === null ? null : operationOwner(view, operation);
    if (owner !== null && typeof owner !== 'string') return false;
    const known = transactions.verdictOn(transaction, spent, owner);
    if (known !== undefined) return known;
    const keys = (hash: string) => view.get('keys', hash);
    const request = transactions.requestFor(transaction, spent, owner, keys);
    if (request === undefined) return false;
    const checking = this.#checkNow(request, { transaction, spent, owner });
    this.#underWay.set(transaction, checking);
    return checking;
  }

  async #checkNow(request: VerifyRequest, subject: CheckedSubject): Promise<boolean> {
    const { chain, workers } = this.#ports;
    const { transaction, spent, owner } = subject;
    try {
      const refusal = await workers.checkTransaction(request, 'block');
      if (refusal === null) chain.transactions.accept(transaction, spent, owner);
      else chain.transactions.refuse(transaction, spent, owner);
      return refusal === null;
    } catch (error) {
      if (error instanceof WorkersError) return false;
      throw error;
    } finally {
      this.#underWay.delete(transaction);
    }
  }

  #spentBy(
    { inputs }: ExecutableTransaction,
    findWaiting: FindWaitingOutput,
  ): TransactionOutput[] | undefined {
    const { view } = this.#ports.chain;
    const spent: TransactionOutput[] = [];
    for (const input of inputs) {
      const output = findWaiting(input) ?? view.get('outputs', outpointKey(input));
      if (output === undefined) return undefined;
      spent.push(output);
    }
    return spent;
  }
}
