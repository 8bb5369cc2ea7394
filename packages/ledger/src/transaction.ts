/**
 * A transaction as the ledger executes it: decoded and checked for everything that needs no state.
 * Signatures are asked for through a port, because only execution knows which output an input spends.
 */
import {
  type Address,
  type Identifier,
  type Outpoint,
  type OutpointKey,
  outpointKey,
} from './identifiers.ts';
import type { Operation } from './protocol.ts';
import type { KeyRecord, PublicKey } from './records.ts';

export interface TransactionOutput {
  readonly address: Address;
  readonly amount: bigint;
}

export interface TransactionInput extends Outpoint {
  /** Public keys shown by the input's witness; they are registered when the spend executes. */
  readonly inlineKeys: readonly PublicKey[];
}

export interface ExecutableTransaction {
  readonly id: Identifier;
  readonly validFromHeight: bigint;
  readonly validUntilHeight: bigint;
  readonly inputs: readonly TransactionInput[];
  readonly outputs: readonly TransactionOutput[];
  /** The cached results of `outputKey`. */
  readonly outputKeys?: readonly OutpointKey[];
  /** Writes what `outputValue` gives for an output to memory, where the transaction has the bytes of it. */
  writeOutputValue?(outputIndex: number, memory: Uint8Array, at: number): void;
  /** Free bytes that travel with it; undefined or empty if there are none. */
  readonly payload?: Uint8Array;
  /** The fee that the body declares and execution must find; null if it declares none. */
  readonly declaredFee: bigint | null;
  readonly operation: Operation | null;
  readonly mass: bigint;
}

/** The key of an output that the transaction makes. */
export function outputKey(
  { id, outputKeys }: Pick<ExecutableTransaction, 'id' | 'outputKeys'>,
  outputIndex: number,
): OutpointKey {
  return outputKeys?.[outputIndex] ?? outpointKey({ transactionId: id, outputIndex });
}

export type KeyLookup = (keyHash: Identifier) => KeyRecord | undefined;

/**
 * Whether the witnesses of a transaction hold: each input's for the output it spends, the operation's
 * for the address that has to sign it, the possession signature if there is one. The answer is a
 * function of the arguments alone, so an implementation may check ahead and cache. The keys of
 * referenced witnesses come from the lookup; a key that is there stays there.
 */
export interface Signatures {
  verify(
    transaction: ExecutableTransaction,
    spent: readonly TransactionOutput[],
    owner: Address | null,
    keys: KeyLookup,
  ): boolean;
}
