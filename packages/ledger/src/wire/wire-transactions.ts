/**
 * Transactions from their wire, and their signatures by the kernel: the adapter between the protocol
 * module and the ledger. One decoder serves one chain; the kernel must be loaded.
 */
import {
  decodeTransaction,
  type Manifest,
  type VerifyRequest,
  verifyTransactionBytes,
} from 'svc-wasm/internal';
import { present } from '../assertion.ts';
import { type Address, bytesOf, type Identifier } from '../identifiers.ts';
import { concatBytes, toHex, Writer } from '../protocol.ts';
import type { KeyRecord } from '../records.ts';
import type {
  ExecutableTransaction,
  KeyLookup,
  Signatures,
  TransactionOutput,
} from '../transaction.ts';
import { decodeOperation } from './decode-operation.ts';
import { WireInput } from './wire-input.ts';
import { referencedKeys } from './witness-keys.ts';

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
    const witnesses = table.witnessViews;
    const transaction: ExecutableTransaction = {
      id: toHex(table.id),
      validFromHeight: table.validFrom,
      validUntilHeight: table.validUntil,
      inputs: table.inputs.map(
        (outpoint, index) => new WireInput(outpoint, present(witnesses[index], 'witness')),
      ),
      outputs: table.outputs.map(({ address, amount }) => ({ address: toHex(address), amount })),
      operation: decodeOperation(table, this.#manifest.network),
      mass: table.mass,
    };
    this.#wires.set(transaction, { bytes: table.bytes, witnesses, acceptedFor: null });
    return transaction;
  }

  /** The bytes it was decoded from; not to be changed. */
  wireOf(transaction: ExecutableTransaction): Uint8Array {
    return this.#wireOf(transaction).bytes;
  }

  /** What a check elsewhere needs; undefined if a key that a witness refers to is not registered. */
  requestFor(
    transaction: ExecutableTransaction,
    spent: readonly TransactionOutput[],
    owner: Address | null,
    keys: KeyLookup,
  ): VerifyRequest | undefined {
    const wire = this.#wireOf(transaction);
    const found = foundKeys(wire, spent, owner, keys);
    return found === undefined ? undefined : requestOf(wire, spent, owner, found);
  }

  /** Notes that the signatures were checked elsewhere, for these outputs and this owner, and hold. */
  accept(
    transaction: ExecutableTransaction,
    spent: readonly TransactionOutput[],
    owner: Address | null,
  ): void {
    this.#wireOf(transaction).acceptedFor = circumstances(spent, owner);
  }

  isAccepted(
    transaction: ExecutableTransaction,
    spent: readonly TransactionOutput[],
    owner: Address | null,
  ): boolean {
    return this.#wireOf(transaction).acceptedFor === circumstances(spent, owner);
  }

  hold(
    transaction: ExecutableTransaction,
    spent: readonly TransactionOutput[],
    owner: Address | null,
    keys: KeyLookup,
  ): boolean {
    const wire = this.#wireOf(transaction);
    const found = foundKeys(wire, spent, owner, keys);
    if (found === undefined) return false;
    if (this.isAccepted(transaction, spent, owner)) return true;
    const request = requestOf(wire, spent, owner, found);
    const { accepted } = verifyTransactionBytes(request, this.#manifest);
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

/** The registered keys that the witnesses refer to; undefined if one is missing. */
function foundKeys(
  wire: Wire,
  spent: readonly TransactionOutput[],
  owner: Address | null,
  keys: KeyLookup,
): KeyRecord[] | undefined {
  const needed = neededKeys(wire, spent, owner).map(keys);
  const found = needed.filter((key) => key !== undefined);
  return found.length === needed.length ? found : undefined;
}

function requestOf(
  { bytes }: Wire,
  spent: readonly TransactionOutput[],
  owner: Address | null,
  keys: readonly KeyRecord[],
): VerifyRequest {
  return {
    wire: bytes,
    previousOutputs: concatBytes(...spent.map(outputBytes)),
    owner: owner === null ? null : bytesOf(owner),
    registeredKeys: concatBytes(...keys.map(({ publicKey }) => publicKey)),
  };
}

function outputBytes({ address, amount }: TransactionOutput): Uint8Array {
  return new Writer(57).raw(bytesOf(address)).u64(amount).finish();
}

function circumstances(spent: readonly TransactionOutput[], owner: Address | null): string {
  return [...spent.map(({ address, amount }) => `${address} ${amount}`), owner ?? ''].join();
}
