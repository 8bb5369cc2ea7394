/**
 * Transactions without a wire that could be signed, for tests of order and bounds.
 */
import { keyAddress } from 'svc-ledger';
import type { Origin } from 'svc-serve/ports';
import { PooledTransaction, SubmittedTransaction } from '../pooled-transaction.ts';
import type { Random } from '../select.ts';

export interface TransactionShape {
  readonly name: number;
  readonly origin?: Origin;
  readonly fee?: bigint;
  readonly mass?: bigint;
  readonly bytes?: number;
  readonly receivedAtMillis?: number;
  readonly validFrom?: bigint;
  readonly validUntil?: bigint;
  /** What it spends, by number; its own name unless said otherwise. */
  readonly spends?: readonly number[];
}

export function nameOf(name: number): string {
  return name.toString(16).padStart(96, '0');
}

export function testSubmitted(shape: TransactionShape): SubmittedTransaction {
  const transaction = {
    id: nameOf(shape.name),
    validFromHeight: shape.validFrom ?? 0n,
    validUntilHeight: shape.validUntil ?? 100n,
    inputs: (shape.spends ?? [shape.name]).map((spent) => ({
      transactionId: nameOf(spent),
      outputIndex: 0,
      inlineKeys: [],
    })),
    outputs: [{ address: keyAddress(nameOf(shape.name % 7)), amount: 1n }],
    declaredFee: null,
    operation: null,
    mass: shape.mass ?? 1_000n,
  };
  return new SubmittedTransaction(
    transaction,
    new Uint8Array(shape.bytes ?? 1_000),
    shape.origin ?? 'own',
  );
}

export function testPooled(shape: TransactionShape): PooledTransaction {
  const spent = (shape.spends ?? [shape.name]).map((name) => ({
    address: keyAddress(nameOf(1_000 + (name % 5))),
    amount: 1n,
  }));
  return new PooledTransaction(testSubmitted(shape), {
    spent,
    fee: shape.fee ?? 10_000n,
    receivedAtMillis: shape.receivedAtMillis ?? 0,
  });
}

/** Numbers that are the same on every run: xorshift32, the high bits of it. */
export class SeededRandom implements Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761) | 1;
  }

  below(limit: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return Math.floor(((this.#state >>> 0) / 2 ** 32) * limit);
  }
}
