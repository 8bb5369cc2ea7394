/**
 * Packs the operations of one batch as `layout.ts` says. They are collected, or handed on at once: a cut
 * makes so many that keeping them is slow.
 */
import { PassingRecords, withChecksum } from '../codec/checksum.ts';
import { type Codec, packed } from '../codec/codec.ts';
import { Packer } from '../codec/packer.ts';
import type { DirectRecords, WriteBatch, WriteOperation } from '../key-value/key-value-store.ts';
import { LAYOUT, type StoreTable } from '../layout.ts';

type Sink = Pick<WriteBatch, 'copies' | 'put' | 'delete' | 'direct'>;

/** Bodies of blocks are large, and a sink that copies them needs no copy of ours. */
const PASSING = new PassingRecords();

export class BatchBuilder {
  readonly operations: WriteOperation[] = [];
  readonly packer: Packer;

  /** Begins a key; parts follow with the packer, `finish` ends it. */
  key(table: StoreTable): Packer {
    return this.packer.u8(LAYOUT[table].prefix);
  }

  readonly #sink: Sink | undefined;
  readonly #direct: DirectRecords | undefined;
  /** The key that `endKey` ended. */
  #key: Uint8Array = new Uint8Array(0);

  /** A packer that several builders share wastes no chunk on each of them. */
  constructor(sink?: Sink, packer: Packer = new Packer()) {
    this.packer = packer;
    this.#sink = sink;
    this.#direct = sink?.direct;
  }

  /** Begins a record that is packed where the sink keeps it, if it keeps any: `endKey` or `endDelete` ends its key. */
  begin(table: StoreTable): Packer {
    const packer = this.#direct?.packer ?? this.packer;
    return packer.u8(LAYOUT[table].prefix);
  }

  /** Ends the key. The value is written to the returned packer, until `endPut`. */
  endKey(): Packer {
    if (this.#direct === undefined) {
      this.#key = this.packer.finish();
      return this.packer;
    }
    this.#direct.endKey();
    return this.#direct.packer;
  }

  endPut(): void {
    if (this.#direct === undefined) this.put(this.#key, this.packer.finish());
    else this.#direct.endPut();
  }

  /** Ends a record that was begun with its value. */
  endPack<T>(codec: Codec<T>, value: T): void {
    codec.pack(this.endKey(), value);
    this.endPut();
  }

  endDelete(): void {
    if (this.#direct === undefined) this.delete(this.packer.finish());
    else this.#direct.endDelete();
  }

  put(key: Uint8Array, value: Uint8Array): void {
    if (this.#sink === undefined) this.operations.push({ type: 'put', key, value });
    else this.#sink.put(key, value);
  }

  pack<T>(key: Uint8Array, codec: Codec<T>, value: T): void {
    this.put(key, packed(this.packer, codec, value));
  }

  /** Puts a record of a checked table. */
  putChecked(key: Uint8Array, value: Uint8Array): void {
    this.put(
      key,
      this.#sink?.copies === true ? PASSING.record(key, value) : withChecksum(key, value),
    );
  }

  delete(key: Uint8Array): void {
    if (this.#sink === undefined) this.operations.push({ type: 'del', key });
    else this.#sink.delete(key);
  }
}
