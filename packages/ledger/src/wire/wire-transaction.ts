/**
 * A transaction together with the wire it was decoded from. What only execution or a worker needs of the
 * wire (shown keys, hashes, copies) is made on demand: thousands are pending, few at a time execute.
 */
import { decodeOperation, type Manifest, type TransactionTable } from 'svc-wasm/protocol';
import {
  type Address,
  type Identifier,
  type Outpoint,
  type OutpointKey,
  outpointKey,
} from '../identifiers.ts';
import { type Operation, toHex } from '../protocol.ts';
import type { PublicKey } from '../records.ts';
import type { ExecutableTransaction, TransactionInput, TransactionOutput } from '../transaction.ts';
import { shownKeys } from './witness-keys.ts';

const INDEX_BYTES = 4;
/** An address and an amount. */
const OUTPUT_BYTES = 57;

class WireInput implements TransactionInput {
  readonly transactionId: Identifier;
  readonly outputIndex: number;
  readonly #transaction: WireTransaction;
  readonly #index: number;
  #key: OutpointKey | undefined;

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

  /** Made once: checks, reading ahead and execution all look it up. */
  get key(): OutpointKey {
    const { transactionId, outputIndex } = this;
    this.#key ??= outpointKey({ transactionId, outputIndex });
    return this.#key;
  }

  get inlineKeys(): readonly PublicKey[] {
    const transaction = this.#transaction;
    return shownKeys(transaction.witness(this.#index), transaction.holdsFor(this.#index));
  }
}

/** Whether signatures were found to hold, and for which outputs and which owner. */
interface Verdict {
  readonly spent: readonly TransactionOutput[];
  readonly owner: Address | null;
  readonly holds: boolean;
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
  readonly #idBytes: Uint8Array;
  /** Where the outputs begin in the wire. */
  readonly #outputsAt: number;
  /** Where the payload begins in the wire, and its length. */
  readonly #payload: readonly [at: number, bytes: number];
  readonly #witnessBounds: readonly number[];
  #verdict: Verdict | null = null;
  #outputKeys: readonly OutpointKey[] | undefined;

  /** The table may be a passing one: nothing is read from it after the operation is decoded. */
  constructor(table: TransactionTable, manifest: Manifest) {
    this.#manifest = manifest;
    this.#bytes = table.bytes;
    this.#witnessBounds = table.witnessBounds;
    this.#idBytes = table.id;
    this.#outputsAt = table.outputsAt;
    this.#payload = table.payloadBounds;
    this.id = toHex(this.#idBytes);
    this.validFromHeight = table.validFrom;
    this.validUntilHeight = table.validUntil;
    this.inputs = table.inputNames.map((outpoint, index) => new WireInput(outpoint, this, index));
    this.outputs = table.outputNames;
    this.declaredFee = table.declaredFee;
    this.mass = table.mass;
    this.operation = decodeOperation(table);
  }

  /** A view of the wire. */
  get payload(): Uint8Array {
    const [at, bytes] = this.#payload;
    return this.#bytes.subarray(at, at + bytes);
  }

  /** Made once, for reading ahead and execution. */
  get outputKeys(): readonly OutpointKey[] {
    this.#outputKeys ??= this.outputs.map((_, outputIndex) =>
      outpointKey({ transactionId: this.id, outputIndex }),
    );
    return this.#outputKeys;
  }

  /** The bytes of an output in the wire are those of its value behind the outpoint. */
  writeOutputValue(outputIndex: number, memory: Uint8Array, at: number): void {
    memory.set(this.#idBytes, at);
    let to = at + this.#idBytes.length;
    for (let rest = outputIndex, byte = 0; byte < INDEX_BYTES; byte++, rest >>>= 8)
      memory[to++] = rest & 0xff;
    const from = this.#outputsAt + outputIndex * OUTPUT_BYTES;
    for (let byte = 0; byte < OUTPUT_BYTES; byte++)
      memory[to + byte] = this.#bytes[from + byte] as number;
  }

  /** The transaction, if it was decoded from a wire of this chain; else undefined. */
  static of(transaction: ExecutableTransaction, manifest: Manifest): WireTransaction | undefined {
    if (!(#manifest in transaction)) return undefined;
    return transaction.#manifest === manifest ? transaction : undefined;
  }

  /** The wire; callers must not change it. */
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

  /** The address that the input spends from, if the signatures were found to hold for it. */
  holdsFor(input: number): Address | undefined {
    const verdict = this.#verdict;
    return verdict?.holds === true ? verdict.spent[input]?.address : undefined;
  }

  /** Caches the last verdict, in place of the one before. */
  judge(spent: readonly TransactionOutput[], owner: Address | null, holds: boolean): void {
    this.#verdict = { spent, owner, holds };
  }

  /** The last verdict, for whatever outputs and owner; undefined if none. */
  get lastVerdict(): boolean | undefined {
    return this.#verdict?.holds;
  }

  /** Cached verdict for these outputs and owner; undefined if none or replaced. */
  verdictFor(spent: readonly TransactionOutput[], owner: Address | null): boolean | undefined {
    const verdict = this.#verdict;
    const isSame =
      verdict !== null &&
      verdict.owner === owner &&
      verdict.spent.length === spent.length &&
      verdict.spent.every(
        ({ address, amount }, index) =>
          spent[index]?.address === address && spent[index].amount === amount,
      );
    return isSame ? verdict.holds : undefined;
  }
}
