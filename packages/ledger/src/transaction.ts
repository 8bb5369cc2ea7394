/**
 * A transaction as the ledger executes it: decoded and checked for everything that needs no state.
 * Signatures are asked for through a port, because only execution knows which output an input spends.
 */
import type { Address, Identifier, Outpoint } from './identifiers.ts';
import type { Operation } from './operation.ts';
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
  readonly operation: Operation | null;
  readonly mass: bigint;
}

export type KeyLookup = (keyHash: Identifier) => KeyRecord | undefined;

/**
 * Whether the witnesses of a transaction hold. Answers are functions of the arguments alone, so an
 * implementation may check ahead and remember. The keys of referenced witnesses come from the lookup.
 */
export interface Signatures {
  /** The witness of an input, for spending an output of this address and amount. */
  spend(
    transaction: ExecutableTransaction,
    inputIndex: number,
    output: TransactionOutput,
    keys: KeyLookup,
  ): boolean;
  /** The operation witness, for the address that has to sign the operation. */
  operation(transaction: ExecutableTransaction, owner: Address, keys: KeyLookup): boolean;
  /** The possession signature, by the consensus key that the operation names. */
  possession(transaction: ExecutableTransaction): boolean;
}
