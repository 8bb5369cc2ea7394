/**
 * Every check of a submitted transaction but its signatures, cheapest first: whether a waiting transaction
 * does the same, then what the finalized state says about its window, the outputs it spends, its sums, its
 * operation and the keys it refers to. Changes nothing.
 */
import {
  BURN_ADDRESS,
  bondedBy,
  type ExecutableTransaction,
  type LedgerParameters,
  operationOwner,
  rehearseOperation,
  type TransactionOutput,
} from 'svc-ledger';
import type { Chain } from 'svc-serve/ports';
import { toHex } from 'svc-wasm/base';
import { hashLabel, type VerifyRequest } from 'svc-wasm/protocol';
import { operationSubject } from './operation-subject.ts';
import type { PoolIndex } from './pool-index.ts';
import type { SubmittedTransaction } from './pooled-transaction.ts';
import { type Known, known, type Refused, refuse } from './refusals.ts';
import { rivalsOf } from './replacement.ts';

/** A transaction may wait for so many cuts until it becomes valid. */
const FUTURE_CUTS_MAX = 24;

/** Refuses an operation that a waiting transaction carries too, unless the submission takes the place of that one. */
export function operationConflict(
  index: PoolIndex,
  submitted: SubmittedTransaction,
): Refused | null {
  const subject = operationSubject(submitted.transaction.operation);
  const rival = subject === null ? undefined : index.withSubject(subject);
  if (rival === undefined || rivalsOf(index, submitted).has(rival)) return null;
  return refuse('conflict', `${rival.id} waits and does the same`, 'operation');
}

/** What the finalized state at one head says about a transaction that may join the pool. */
export interface CheckedInputs {
  readonly type: 'checked';
  /** The height of the head that the transaction was checked against. */
  readonly height: number;
  readonly spent: readonly TransactionOutput[];
  /** Who has to sign the operation, if there is one that needs an owner. */
  readonly owner: string | null;
  readonly fee: bigint;
}

export class StateChecks {
  readonly #chain: Chain;

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  check(submitted: SubmittedTransaction): CheckedInputs | Refused | Known {
    const { transaction } = submitted;
    const { height } = this.#chain.head;
    const late = windowFault(transaction, height);
    if (late !== null) return late;
    const spent = this.#spentBy(submitted);
    if ('type' in spent) return spent;
    const fee = feeOf(transaction, spent);
    const short = this.#sumFault(transaction, fee);
    if (short !== null) return short;
    const owner = this.#ownerOf(transaction, height);
    if (owner !== null && typeof owner !== 'string') return owner;
    return { type: 'checked', height, spent, owner, fee };
  }

  /** What a worker needs to check the signatures. */
  verifyRequest(
    { transaction }: SubmittedTransaction,
    { spent, owner }: CheckedInputs,
  ): VerifyRequest | Refused {
    const { transactions, view } = this.#chain;
    const keys = (keyHash: string) => view.get('keys', keyHash);
    return (
      transactions.requestFor(transaction, spent, owner, keys) ??
      refuse(
        'key_not_registered',
        'expected registered keys, found a witness that refers to another',
      )
    );
  }

  #spentBy({ id, outpoints }: SubmittedTransaction): TransactionOutput[] | Refused | Known {
    const { view } = this.#chain;
    const spent: TransactionOutput[] = [];
    for (const [index, outpoint] of outpoints.entries()) {
      const output = view.get('outputs', outpoint);
      if (output === undefined) return this.#missing(id, outpoint, `inputs[${index}]`);
      const { address, amount } = output;
      if (address === BURN_ADDRESS)
        return refuse('unspendable_output', 'no key can spend from the burn address');
      spent.push({ address, amount });
    }
    return spent;
  }

  #missing(id: string, outpoint: string, path: string): Refused | Known {
    const spender = this.#chain.view.get('spent', outpoint);
    if (spender === undefined)
      return refuse('unknown_input', 'expected a finalized unspent output, found none', path);
    if (spender.transactionId === id) return known(id);
    return refuse('conflict', `spent in cut ${spender.height} by ${spender.transactionId}`, path);
  }

  #sumFault({ declaredFee, mass }: ExecutableTransaction, fee: bigint): Refused | null {
    if (fee < 0n)
      return refuse('insufficient_inputs', `the inputs lack ${-fee} atoms of what is moved`);
    if (declaredFee !== null && fee !== declaredFee)
      return refuse(
        'fee_mismatch',
        `the body declares a fee of ${declaredFee} atoms, the inputs leave ${fee}`,
      );
    const least = mass * this.#chain.parameters.minFeePerMass;
    if (fee >= least) return null;
    return refuse('fee_too_low', `expected a fee of at least ${least} atoms, found ${fee}`);
  }

  /** Who has to sign the operation; refuses an operation that would have no effect in the next cut. */
  #ownerOf(transaction: ExecutableTransaction, height: number): string | null | Refused {
    const { view, parameters, manifest } = this.#chain;
    const { operation } = transaction;
    if (operation === null) return null;
    const ports = { chainId: toHex(manifest.chainId), parameters, hash: hashLabel };
    const refusal = rehearseOperation(ports, view, height + 1, transaction);
    const owner = refusal ?? operationOwner(view, operation);
    if (typeof owner === 'string') return owner;
    return refuse(owner.kind, inWords(owner.reason, parameters), 'operation');
  }
}

/** The reason why an operation is refused, with the figure that it missed. */
function inWords(reason: string, { positionMin }: LedgerParameters): string {
  if (reason !== 'below_position_minimum') return reason;
  return `${reason}: a delegation has at least ${positionMin} atoms, or none`;
}

function windowFault(
  { validFromHeight, validUntilHeight }: ExecutableTransaction,
  height: number,
): Refused | null {
  const next = BigInt(height + 1);
  if (validUntilHeight < next)
    return refuse('expired', `valid until cut ${validUntilHeight}, and the next is ${next}`);
  const latest = next + BigInt(FUTURE_CUTS_MAX);
  if (validFromHeight > latest)
    return refuse('not_yet_valid', `valid from cut ${validFromHeight}, at most ${latest} may wait`);
  return null;
}

function feeOf(transaction: ExecutableTransaction, spent: readonly TransactionOutput[]): bigint {
  const incoming = spent.reduce((sum, { amount }) => sum + amount, 0n);
  const outgoing = transaction.outputs.reduce((sum, { amount }) => sum + amount, 0n);
  return incoming - outgoing - bondedBy(transaction.operation);
}
