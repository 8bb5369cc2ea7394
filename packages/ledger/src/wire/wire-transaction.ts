/**
 * A transaction together with the wire it was decoded from. What only execution or a worker needs of the
 * wire (shown keys, hashes, copies) is made when it is asked for: thousands wait, few at a time execute.
 */
import type { Manifest, TransactionTable } from 'svc-wasm/internal';
import { present } from '../assertion.ts';
import { type Address, hexOf, type Identifier } from '../identifiers.ts';
import type { Operation } from '../operation.ts';
import type { PublicKey } from '../records.ts';
import type { ExecutableTransaction, TransactionInput, TransactionOutput } from '../transaction.ts';
import { decodeOperation, publicKeyOf } from './decode-operation.ts';
import { shownKeys } from './witness-keys.ts';

class WireInput implements TransactionInput {
  readonly transactionId: Identifier;
  readonly outputIndex: number;
  readonly #witness: Uint8Array;

  constructor(transactionId: Identifier, outputIndex: number, witness: Uint8Array) {
    this.transactionId = transactionId;
    this.outputIndex = outputIndex;
    this.#witness = witness;
  }

  get inlineKeys(): readonly PublicKey[] {
    return shownKeys(this.#witness).map(publicKeyOf);
  }
}

/** What signatures were found to hold for. */
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
  readonly operation: Operation | null;
  readonly mass: bigint;
  readonly #manifest: Manifest;
  readonly #bytes: Uint8Array;
  readonly #witnesses: readonly Uint8Array[];
  #accepted: Circumstances | null = null;

  constructor(table: TransactionTable, manifest: Manifest) {
    this.#manifest = manifest;
    this.#bytes = table.bytes;
    this.#witnesses = table.witnessViews;
    this.id = hexOf(table.id);
    this.validFromHeight = table.validFrom;
    this.validUntilHeight = table.validUntil;
    this.inputs = table.inputs.map(
      ({ transactionId, outputIndex }, index) =>
        new WireInput(
          hexOf(transactionId),
          outputIndex,
          present(this.#witnesses[index], 'witness'),
        ),
    );
    this.outputs = table.outputs.map(({ address, amount }) => ({
      address: hexOf(address),
      amount,
    }));
    this.operation = decodeOperation(table, manifest.network);
    this.mass = table.mass;
  }

  /** The transaction as one of this chain's wires, or undefined if it is none. */
  static of(transaction: ExecutableTransaction, manifest: Manifest): WireTransaction | undefined {
    if (!(#manifest in transaction)) return undefined;
    return transaction.#manifest === manifest ? transaction : undefined;
  }

  /** Not to be changed. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  get witnesses(): readonly Uint8Array[] {
    return this.#witnesses;
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
