/**
 * Makes transactions for a test chain: finds outputs of an account, signs, and lets a test say what is
 * to be wrong.
 */
import assert from 'node:assert/strict';
import { type Address, type Identifier, outpointOf } from '../../src/identifiers.ts';
import type { Operation } from '../../src/protocol.ts';
import type { PublicKey } from '../../src/records.ts';
import { bondedBy } from '../../src/rules/operations.ts';
import type { ExecutableTransaction, TransactionOutput } from '../../src/transaction.ts';
import { idOf } from './reference-hash.ts';
import { addressOf, publicKeyOf, type TestChain } from './test-chain.ts';
import type { Signers } from './test-signatures.ts';

export interface Draft {
  readonly from: string;
  readonly outputs?: readonly TransactionOutput[];
  readonly operation?: Operation;
  readonly owner?: Address;
  readonly fee?: bigint;
  /** What the body declares; nothing unless given. */
  readonly declaredFee?: bigint;
  readonly validFrom?: number;
  readonly validUntil?: number;
  readonly mass?: bigint;
  readonly inputs?: readonly string[];
  readonly inlineKeys?: readonly PublicKey[];
  readonly signers?: Partial<Signers>;
}

export class TestWallet {
  readonly #chain: TestChain;
  readonly #used = new Set<string>();
  #count = 0;

  constructor(chain: TestChain) {
    this.#chain = chain;
  }

  /** Outputs of an account that no draft has taken yet, until they hold the amount. */
  #pick(name: string, amount: bigint): string[] {
    const picked: string[] = [];
    let sum = 0n;
    for (const [key, output] of this.#chain.state.records('outputs')) {
      if (sum >= amount && picked.length > 0) break;
      if (output.address !== addressOf(name) || this.#used.has(key)) continue;
      picked.push(key);
      sum += output.amount;
    }
    assert.ok(sum >= amount && picked.length > 0, `${name} has ${sum} of ${amount} atoms`);
    return picked;
  }

  draft(draft: Draft): ExecutableTransaction {
    const { from, outputs = [], operation = null, fee = 1_000n } = draft;
    const spent = outputs.reduce((sum, { amount }) => sum + amount, fee + bondedBy(operation));
    const keys = draft.inputs ?? this.#pick(from, spent);
    for (const key of keys) this.#used.add(key);
    const held = keys.map((key) => this.#chain.state.get('outputs', key));
    const change = held.reduce((sum, output) => sum + (output?.amount ?? 0n), 0n) - spent;
    const id = idOf(`transaction ${this.#count++}`);
    this.#chain.signatures.sign(id, {
      inputs: held.map((output) => output?.address ?? addressOf(from)),
      owner: draft.owner ?? addressOf(from),
      possession: true,
      referenced: [],
      ...draft.signers,
    });
    return {
      id,
      validFromHeight: BigInt(draft.validFrom ?? 0),
      validUntilHeight: BigInt(draft.validUntil ?? 1_000_000),
      inputs: keys.map((key) => ({ ...outpointOf(key), inlineKeys: draft.inlineKeys ?? [] })),
      outputs: change > 0n ? [...outputs, { address: addressOf(from), amount: change }] : outputs,
      declaredFee: draft.declaredFee ?? null,
      operation,
      mass: draft.mass ?? 0n,
    };
  }

  pay(from: string, to: string, amount: bigint, rest: Partial<Draft> = {}): ExecutableTransaction {
    return this.draft({ from, outputs: [{ address: addressOf(to), amount }], ...rest });
  }

  bond(owner: string, validatorId: Identifier, amount: bigint): ExecutableTransaction {
    const ownerAddress = addressOf(owner);
    const rewardAddress = addressOf(`${owner} rewards`);
    const operation = { type: 'bond', validatorId, ownerAddress, rewardAddress, amount } as const;
    return this.draft({ from: 'bank', operation, owner: ownerAddress });
  }

  register(
    owner: string,
    amount: bigint,
    rest: { key?: string; commissionBps?: number } = {},
  ): ExecutableTransaction {
    const operation: Operation = {
      type: 'validator_register',
      ownerAddress: addressOf(owner),
      rewardAddress: addressOf(`${owner} rewards`),
      amount,
      commissionBps: rest.commissionBps ?? 500,
      consensusKey: publicKeyOf(rest.key ?? owner),
      endpoint: Uint8Array.of(7),
    };
    return this.draft({ from: 'bank', operation, owner: addressOf(owner) });
  }

  /** An operation that takes nothing but a fee, which the bank pays. */
  operate(owner: string, operation: Operation, rest: Partial<Draft> = {}): ExecutableTransaction {
    return this.draft({ from: 'bank', operation, owner: addressOf(owner), ...rest });
  }
}
