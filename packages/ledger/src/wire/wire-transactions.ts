/**
 * Transactions from their wire, and their signatures by the kernel: the adapter between the protocol
 * module and the ledger. One decoder serves one chain; the kernel must be loaded.
 */
import { decodeTransaction, type Manifest, verifyTransactionBytes } from 'svc-wasm/internal';
import { present } from '../assertion.ts';
import { type Address, bytesOf, type Identifier } from '../identifiers.ts';
import { concatBytes, toHex, Writer } from '../protocol.ts';
import type {
  ExecutableTransaction,
  KeyLookup,
  Signatures,
  TransactionOutput,
} from '../transaction.ts';
import { decodeOperation, publicKeyOf } from './decode-operation.ts';
import { referencedKeys, shownKeys } from './witness-keys.ts';

interface Wire {
  readonly bytes: Uint8Array;
  readonly witnesses: readonly Uint8Array[];
  /** What the signatures were found to hold for; see `accept`. */
  acceptedFor: string | null;
}

export class WireTransactions implements Signatures {
  readonly #manifest: Manifest;
  readonly #wires = new WeakMap<ExecutableTransaction, Wire>();

  constructor(manifest: Manifest) {
    this.#manifest = manifest;
  }

  /** Decodes a wire; throws an `SvcError` on one that no block may carry. */
  decode(bytes: Uint8Array): ExecutableTransaction {
    const table = decodeTransaction(bytes, this.#manifest);
    const { witnesses } = table;
    const transaction: ExecutableTransaction = {
      id: toHex(table.id),
      validFromHeight: table.validFrom,
      validUntilHeight: table.validUntil,
      inputs: table.inputs.map(({ transactionId, outputIndex }, index) => ({
        transactionId: toHex(transactionId),
        outputIndex,
        inlineKeys: shownKeys(present(witnesses[index], 'witness')).map(publicKeyOf),
      })),
      outputs: table.outputs.map(({ address, amount }) => ({ address: toHex(address), amount })),
      operation: decodeOperation(table, this.#manifest.network),
      mass: table.mass,
    };
    this.#wires.set(transaction, { bytes: table.bytes, witnesses, acceptedFor: null });
    return transaction;
  }

  /** Notes that the signatures were checked elsewhere, for these outputs and this owner, and hold. */
  accept(
    transaction: ExecutableTransaction,
    spent: readonly TransactionOutput[],
    owner: Address | null,
  ): void {
    this.#wireOf(transaction).acceptedFor = circumstances(spent, owner);
  }

  hold(
    transaction: ExecutableTransaction,
    spent: readonly TransactionOutput[],
    owner: Address | null,
    keys: KeyLookup,
  ): boolean {
    const wire = this.#wireOf(transaction);
    const needed = neededKeys(wire, spent, owner).map(keys);
    const found = needed.filter((key) => key !== undefined);
    if (found.length !== needed.length) return false;
    if (wire.acceptedFor === circumstances(spent, owner)) return true;
    const { accepted } = verifyTransactionBytes(
      {
        wire: wire.bytes,
        previousOutputs: concatBytes(...spent.map(outputBytes)),
        owner: owner === null ? null : bytesOf(owner),
        registeredKeys: concatBytes(...found.map(({ publicKey }) => publicKey)),
      },
      this.#manifest,
    );
    if (accepted) this.accept(transaction, spent, owner);
    return accepted;
  }

  #wireOf(transaction: ExecutableTransaction): Wire {
    return present(this.#wires.get(transaction), `wire of ${transaction.id}`);
  }
}

/** Each witness's referenced keys: of the spent output for an input, of the owner for the last. */
function neededKeys(
  { witnesses }: Wire,
  spent: readonly TransactionOutput[],
  owner: Address | null,
): Identifier[] {
  const hashes = witnesses.flatMap((witness, index) => {
    const address = spent[index]?.address ?? owner;
    return address === null ? [] : referencedKeys(witness, address);
  });
  return [...new Set(hashes)];
}

function outputBytes({ address, amount }: TransactionOutput): Uint8Array {
  return new Writer(57).raw(bytesOf(address)).u64(amount).finish();
}

function circumstances(spent: readonly TransactionOutput[], owner: Address | null): string {
  return [...spent.map(({ address, amount }) => `${address} ${amount}`), owner ?? ''].join();
}
