/**
 * What the kernel found in a body or transaction, read through the table layout that both share.
 * Nothing is parsed a second time here.
 */
import {
  ADDRESS_BYTES,
  ID_BYTES,
  OUTPOINT_BYTES,
  OUTPUT_BYTES,
  TABLE_BODY,
  TABLE_BODY_BYTES,
  TABLE_BYTES,
  TABLE_DECLARED_FEE,
  TABLE_FEE,
  TABLE_FEE_DECLARED,
  TABLE_ID,
  TABLE_INPUT_COUNT,
  TABLE_INPUTS,
  TABLE_MASS,
  TABLE_MINIMUM_FEE,
  TABLE_OPERATION,
  TABLE_OUTPUT_COUNT,
  TABLE_OUTPUTS,
  TABLE_PAYLOAD,
  TABLE_PAYLOAD_BYTES,
  TABLE_REPEATED,
  TABLE_SIGNATURES,
  TABLE_VALID_FROM,
  TABLE_VALID_UNTIL,
  TABLE_WIRE_BYTES,
  TABLE_WITNESS_COUNT,
  TABLE_WITNESSES,
  WITNESS_AT,
  WITNESS_BYTES,
  WITNESS_ENTRY_BYTES,
} from '../../assembly/transaction/layout.ts';
import { toHex } from '../base/bytes.ts';
import type { KernelInstance } from '../kernel/instance.ts';

export interface Outpoint {
  readonly transactionId: Uint8Array;
  readonly outputIndex: number;
}

export interface Output {
  readonly address: Uint8Array;
  readonly amount: bigint;
}

/** Bytes, and a view of the same bytes for numbers. */
interface Memory {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

/** For the numbers in these bytes. */
export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

export class TransactionTable {
  /** The body or transaction that was decoded. */
  readonly bytes: Uint8Array;
  /** Reads numbers of `bytes`, which begin at its offset `#bytesAt`. */
  readonly #bytesView: DataView;
  readonly #bytesAt: number;
  readonly #table: Memory;
  readonly #tableAt: number;

  /**
   * The table begins at `tableAt`; a view of more than `bytes`, in which these begin at `bytesAt`, may serve many
   * tables.
   */
  constructor(
    bytes: Uint8Array,
    table: Memory,
    tableAt: number,
    bytesView: DataView = viewOf(bytes),
    bytesAt = 0,
  ) {
    this.bytes = bytes;
    this.#bytesView = bytesView;
    this.#bytesAt = bytesAt;
    this.#table = table;
    this.#tableAt = tableAt;
  }

  /** A copy of the table that the kernel has just filled. */
  static copied(bytes: Uint8Array, { bytes: memory, output }: KernelInstance): TransactionTable {
    const table = memory.slice(output, output + TABLE_BYTES);
    return new TransactionTable(bytes, { bytes: table, view: viewOf(table) }, 0);
  }

  /** The table in the kernel's output, valid until the next call of the kernel. */
  static passing(
    bytes: Uint8Array,
    { bytes: memory, view, output }: KernelInstance,
  ): TransactionTable {
    return new TransactionTable(bytes, { bytes: memory, view }, output);
  }

  /** A 32-bit entry of the table. */
  u32(entry: number): number {
    return this.#table.view.getUint32(this.#tableAt + entry, true);
  }

  /** A 64-bit entry of the table. */
  u64(entry: number): bigint {
    return this.#table.view.getBigUint64(this.#tableAt + entry, true);
  }

  #bytesU32(at: number): number {
    return this.#bytesView.getUint32(this.#bytesAt + at, true);
  }

  #bytesU64(at: number): bigint {
    return this.#bytesView.getBigUint64(this.#bytesAt + at, true);
  }

  /** A copy of decoded bytes. */
  slice(at: number, length: number): Uint8Array {
    return this.bytes.slice(at, at + length);
  }

  get id(): Uint8Array {
    const at = this.#tableAt + TABLE_ID;
    return this.#table.bytes.slice(at, at + ID_BYTES);
  }

  get body(): Uint8Array {
    return this.slice(this.u32(TABLE_BODY), this.u32(TABLE_BODY_BYTES));
  }

  get validFrom(): bigint {
    return this.u64(TABLE_VALID_FROM);
  }

  get validUntil(): bigint {
    return this.u64(TABLE_VALID_UNTIL);
  }

  /** The fee that the body declares; null if it declares none. */
  get declaredFee(): bigint | null {
    return this.u32(TABLE_FEE_DECLARED) === 0 ? null : this.u64(TABLE_DECLARED_FEE);
  }

  get inputCount(): number {
    return this.u32(TABLE_INPUT_COUNT);
  }

  /** Whether the body says that the witness of the input before authorizes this one too. */
  isRepeated(input: number): boolean {
    return ((this.u32(TABLE_REPEATED) >> input) & 1) === 1;
  }

  /** The inputs that have a witness of their own, in order. */
  get signedInputs(): number[] {
    return Array.from({ length: this.inputCount }, (_, input) => input).filter(
      (input) => !this.isRepeated(input),
    );
  }

  get inputs(): Outpoint[] {
    const first = this.u32(TABLE_INPUTS);
    return Array.from({ length: this.inputCount }, (_, i) => {
      const at = first + i * OUTPOINT_BYTES;
      return {
        transactionId: this.slice(at, ID_BYTES),
        outputIndex: this.#bytesU32(at + ID_BYTES),
      };
    });
  }

  get outputs(): Output[] {
    const first = this.u32(TABLE_OUTPUTS);
    return Array.from({ length: this.u32(TABLE_OUTPUT_COUNT) }, (_, i) => {
      const at = first + i * OUTPUT_BYTES;
      return {
        address: this.slice(at, ADDRESS_BYTES),
        amount: this.#bytesU64(at + ADDRESS_BYTES),
      };
    });
  }

  /** As `inputs`, in hexadecimal: pieces of one text, which is quicker than a text for each. */
  get inputNames(): { readonly transactionId: string; readonly outputIndex: number }[] {
    const first = this.u32(TABLE_INPUTS);
    const end = first + this.inputCount * OUTPOINT_BYTES;
    const text = toHex(this.bytes.subarray(first, end));
    const names = [];
    for (let at = 0; at < end - first; at += OUTPOINT_BYTES) {
      names.push({
        transactionId: text.slice(2 * at, 2 * (at + ID_BYTES)),
        outputIndex: this.#bytesU32(first + at + ID_BYTES),
      });
    }
    return names;
  }

  /** Offset of the outputs in `bytes`, one after the other. */
  get outputsAt(): number {
    return this.u32(TABLE_OUTPUTS);
  }

  /** As `outputs`, likewise. */
  get outputNames(): { readonly address: string; readonly amount: bigint }[] {
    const first = this.u32(TABLE_OUTPUTS);
    const end = first + this.u32(TABLE_OUTPUT_COUNT) * OUTPUT_BYTES;
    const text = toHex(this.bytes.subarray(first, end));
    const names = [];
    for (let at = 0; at < end - first; at += OUTPUT_BYTES) {
      names.push({
        address: text.slice(2 * at, 2 * (at + ADDRESS_BYTES)),
        amount: this.#bytesU64(first + at + ADDRESS_BYTES),
      });
    }
    return names;
  }

  /** Tag of the operation; 0 when there is none. */
  get operation(): number {
    return this.u32(TABLE_OPERATION);
  }

  get payload(): Uint8Array {
    return this.slice(...this.payloadBounds);
  }

  /** Where the payload begins in `bytes`, and its length. */
  get payloadBounds(): [at: number, bytes: number] {
    return [this.u32(TABLE_PAYLOAD), this.u32(TABLE_PAYLOAD_BYTES)];
  }

  get witnesses(): Uint8Array[] {
    return Array.from({ length: this.u32(TABLE_WITNESS_COUNT) }, (_, i) => {
      const entry = TABLE_WITNESSES + i * WITNESS_ENTRY_BYTES;
      return this.slice(this.u32(entry + WITNESS_AT), this.u32(entry + WITNESS_BYTES));
    });
  }

  /** Where each witness is in `bytes`: begin and end, one after the other. */
  get witnessBounds(): number[] {
    const bounds: number[] = [];
    const end = TABLE_WITNESSES + this.u32(TABLE_WITNESS_COUNT) * WITNESS_ENTRY_BYTES;
    for (let entry = TABLE_WITNESSES; entry < end; entry += WITNESS_ENTRY_BYTES) {
      const at = this.u32(entry + WITNESS_AT);
      bounds.push(at, at + this.u32(entry + WITNESS_BYTES));
    }
    return bounds;
  }

  get wireBytes(): number {
    return this.u32(TABLE_WIRE_BYTES);
  }

  get signatures(): number {
    return this.u32(TABLE_SIGNATURES);
  }

  get mass(): bigint {
    return this.u64(TABLE_MASS);
  }

  get minimumFee(): bigint {
    return this.u64(TABLE_MINIMUM_FEE);
  }

  /** Known after a verification only. */
  get fee(): bigint {
    return this.u64(TABLE_FEE);
  }
}
