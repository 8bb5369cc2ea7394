/**
 * A transaction together with the wire it was decoded from. What only execution or a worker needs of the
 * wire (shown keys, hashes, copies) is made when it is asked for: thousands wait, few at a time execute.
 */
import { decodeOperation, type Manifest, type TransactionTable } from 'svc-wasm/protocol';
import type { Address, Identifier, Outpoint } from '../identifiers.ts';
import { type Operation, toHex } from '../protocol.ts';
import type { PublicKey } from '../records.ts';
import type { ExecutableTransaction, TransactionInput, TransactionOutput } from '../transaction.ts';
import { shownKeys } from './witness-keys.ts';

class WireInput implements TransactionInput {
  readonly transactionId: Identifier;
  readonly outputIndex: number;
  readonly #transaction: WireTransaction;
  readonly #index: number;

  constructor(
    { transactionId, outputIndex }: Outpoint,
    transaction: WireTransaction,
    index: number,
  ) {
    this.transactionId = transactionId;
    this.outputIndex = outputIndex;
    this.#transaction = transaction;
    this.#index = index;
  }

  get inlineKeys(): readonly PublicKey[] {
    return shownKeys(this.#transaction.witness(this.#index));
  }
}

/** The outputs and the owner for which signatures were found to hold. */
interface Circumstances {
  readonly spent: readonly TransactionOutput[];
  readonly owner: Address | null;
}

export class WireTransaction implements ExecutableTransaction {
  readonly id: Identifier;
  readonly validFromHeight: bigint;
  readonly validUntilHeight: bigint;
  readonly inputs: readonly TransactionInput[];
  readonly outputs: readonly TransactionOutput[];
  readonly declaredFee: bigint | null;
  readonly operation: Operation | null;
  readonly mass: bigint;
  readonly #manifest: Manifest;
  readonly #bytes: Uint8Array;
  readonly #witnessBounds: readonly number[];
  #accepted: Circumstances | null = null;

  /** The table may be a passing one: nothing is read from it after the operation is decoded. */
  constructor(table: TransactionTable, manifest: Manifest) {
    this.#manifest = manifest;
    this.#bytes = table.bytes;
    this.#witnessBounds = table.witnessBounds;
    this.id = toHex(table.id);
    this.validFromHeight = table.validFrom;
    this.validUntilHeight = table.validUntil;
    this.inputs = table.inputNames.map((outpoint, index) => new WireInput(outpoint, this, index));
    this.outputs = table.outputNames;
    this.declaredFee = table.declaredFee;
    this.mass = table.mass;
    this.operation = decodeOperation(table);
  }

  /** The transaction, if it was decoded from a wire of this chain; else undefined. */
  static of(transaction: ExecutableTransaction, manifest: Manifest): WireTransaction | undefined {
    if (!(#manifest in transaction)) return undefined;
    return transaction.#manifest === manifest ? transaction : undefined;
  }

  /** The wire; nobody may change it. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  get witnessCount(): number {
    return this.#witnessBounds.length / 2;
  }

  /** One witness, as a view of the wire. */
  witness(index: number): Uint8Array {
    return this.#bytes.subarray(this.#witnessBounds[2 * index], this.#witnessBounds[2 * index + 1]);
  }

  accept(spent: readonly TransactionOutput[], owner: Address | null): void {
    this.#accepted = { spent, owner };
  }

  isAcceptedFor(spent: readonly TransactionOutput[], owner: Address | null): boolean {
    const accepted = this.#accepted;
    return (
      accepted !== null &&
      accepted.owner === owner &&
      accepted.spent.length === spent.length &&
      accepted.spent.every(
        ({ address, amount }, index) =>
          spent[index]?.address === address && spent[index].amount === amount,
      )
    );
  }
}
