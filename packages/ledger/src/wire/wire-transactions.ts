/**
 * Transactions from their wire, and their signatures by the kernel: the adapter between the protocol
 * module and the ledger. One decoder serves one chain; the kernel must be loaded.
 */
import {
  type DecodedTransaction,
  decodeOwnTransaction,
  type Manifest,
  type VerifyRequest,
  verifyTransactionBytes,
} from 'svc-wasm/protocol';
import { present } from '../assertion.ts';
import { type Address, bytesOf, type Identifier } from '../identifiers.ts';
import { concatBytes } from '../protocol.ts';
import type { KeyRecord } from '../records.ts';
import type {
  ExecutableTransaction,
  KeyLookup,
  Signatures,
  TransactionOutput,
} from '../transaction.ts';
import { WireTransaction } from './wire-transaction.ts';
import { referencedKeys } from './witness-keys.ts';

const ADDRESS_BYTES = 49;
const OUTPUT_BYTES = 57;
const NO_RECORDS: readonly KeyRecord[] = [];
const NO_BYTES = new Uint8Array();

export class WireTransactions implements Signatures {
  readonly #manifest: Manifest;
  readonly #verifyBytes: typeof verifyTransactionBytes;

  /** Another verifier is for tests that count what is verified. */
  constructor(
    manifest: Manifest,
    verifyBytes: typeof verifyTransactionBytes = verifyTransactionBytes,
  ) {
    this.#manifest = manifest;
    this.#verifyBytes = verifyBytes;
  }

  /** Decodes a wire; throws an `SvcError` on one that no block may carry. */
  decode(bytes: Uint8Array): ExecutableTransaction {
    return this.decodeOwn(bytes.slice());
  }

  /** Decodes a wire and keeps its bytes, which must not change afterwards. */
  decodeOwn(bytes: Uint8Array): ExecutableTransaction {
    return new WireTransaction(decodeOwnTransaction(bytes, this.#manifest), this.#manifest);
  }

  /** A transaction of a block that was decoded with this manifest; its bytes must not change afterwards. */
  ofBlock({ wire, table }: DecodedTransaction, manifest: Manifest): ExecutableTransaction {
    if (manifest !== this.#manifest) return this.decodeOwn(wire);
    return new WireTransaction(table, manifest);
  }

  /** The bytes that a transaction was decoded from; they must not change. */
  wireOf(transaction: ExecutableTransaction): Uint8Array {
    return this.#wire(transaction).bytes;
  }

  /** The request with which a worker checks the signatures; undefined if a referenced key is not registered. */
  requestFor(
    transaction: ExecutableTransaction,
    spent: readonly TransactionOutput[],
    owner: Address | null,
    keys: KeyLookup,
  ): VerifyRequest | undefined {
    const wire = this.#wire(transaction);
    const found = foundKeys(wire, spent, owner, keys);
    return found === undefined ? undefined : requestOf(wire, spent, owner, found);
  }

  /** Records that a worker found the signatures to hold for these outputs and this owner. */
  accept(
    transaction: ExecutableTransaction,
    spent: readonly TransactionOutput[],
    owner: Address | null,
  ): void {
    this.#wire(transaction).judge(spent, owner, true);
  }

  /** Records that a worker found the signatures not to hold, with every key that they refer to at hand. */
  refuse(
    transaction: ExecutableTransaction,
    spent: readonly TransactionOutput[],
    owner: Address | null,
  ): void {
    this.#wire(transaction).judge(spent, owner, false);
  }

  /** The last verdict on the signatures, for whatever outputs and owner; undefined if none. */
  lastVerdictOn(transaction: ExecutableTransaction): boolean | undefined {
    return this.#wire(transaction).lastVerdict;
  }

  /** The verdict on the signatures for these outputs and this owner; undefined if they have to be verified. */
  verdictOn(
    transaction: ExecutableTransaction,
    spent: readonly TransactionOutput[],
    owner: Address | null,
  ): boolean | undefined {
    return this.#wire(transaction).verdictFor(spent, owner);
  }

  /**
   * Whether all signatures of a transaction hold for these outputs and this owner. Either answer is remembered, so that
   * a block with bad signatures costs them once, however many cuts propose or execute it. A key is named by its hash, so
   * the answer changes only where a key was missing, and that is asked first.
   */
  verify(
    transaction: ExecutableTransaction,
    spent: readonly TransactionOutput[],
    owner: Address | null,
    keys: KeyLookup,
  ): boolean {
    const wire = this.#wire(transaction);
    const found = foundKeys(wire, spent, owner, keys);
    if (found === undefined) return false;
    const known = wire.verdictFor(spent, owner);
    if (known !== undefined) return known;
    const request = requestOf(wire, spent, owner, found);
    const { accepted } = this.#verifyBytes(request, this.#manifest);
    wire.judge(spent, owner, accepted);
    return accepted;
  }

  #wire(transaction: ExecutableTransaction): WireTransaction {
    return present(WireTransaction.of(transaction, this.#manifest), `wire of ${transaction.id}`);
  }
}

/** Each witness's referenced keys: of the spent output for an input, of the owner for the last. */
function neededKeys(
  wire: WireTransaction,
  spent: readonly TransactionOutput[],
  owner: Address | null,
): Identifier[] {
  const hashes: Identifier[] = [];
  for (let index = 0; index < wire.witnessCount; index++) {
    const address = spent[index]?.address ?? owner;
    if (address !== null) hashes.push(...referencedKeys(wire.witness(index), address));
  }
  return hashes.length < 2 ? hashes : [...new Set(hashes)];
}

/** The registered keys that the witnesses refer to; undefined if one is missing. */
function foundKeys(
  wire: WireTransaction,
  spent: readonly TransactionOutput[],
  owner: Address | null,
  keys: KeyLookup,
): readonly KeyRecord[] | undefined {
  const hashes = neededKeys(wire, spent, owner);
  if (hashes.length === 0) return NO_RECORDS;
  const needed = hashes.map(keys);
  const found = needed.filter((key) => key !== undefined);
  return found.length === needed.length ? found : undefined;
}

function requestOf(
  { bytes }: WireTransaction,
  spent: readonly TransactionOutput[],
  owner: Address | null,
  keys: readonly KeyRecord[],
): VerifyRequest {
  return {
    wire: bytes,
    previousOutputs: outputsBytes(spent),
    owner: owner === null ? null : bytesOf(owner),
    registeredKeys:
      keys.length === 0 ? NO_BYTES : concatBytes(...keys.map(({ publicKey }) => publicKey)),
  };
}

/** Scratch space for one number: copying from here is cheaper than a view of every small array. */
const u64 = new DataView(new ArrayBuffer(8));
const u64Bytes = new Uint8Array(u64.buffer);

function outputsBytes(outputs: readonly TransactionOutput[]): Uint8Array {
  const bytes = new Uint8Array(OUTPUT_BYTES * outputs.length);
  outputs.forEach(({ address, amount }, index) => {
    const at = OUTPUT_BYTES * index;
    bytes.set(bytesOf(address), at);
    u64.setBigUint64(0, amount, true);
    bytes.set(u64Bytes, at + ADDRESS_BYTES);
  });
  return bytes;
}
