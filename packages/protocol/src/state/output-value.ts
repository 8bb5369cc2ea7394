/**
 * The value of an output in its tree, 109 bytes; `docs/protocol.md` 9.1. Which outputs may be there
 * is checked in the kernel, where they are hashed.
 */
import { expectBytes } from '../base/bytes.ts';
import { Reader } from '../base/reader.ts';
import { ADDRESS_BYTES, ID_BYTES } from '../base/sizes.ts';
import { Writer } from '../base/writer.ts';
import { OUTPUT_VALUE_BYTES } from './layout.ts';

export interface Output {
  readonly transactionId: Uint8Array;
  readonly outputIndex: number;
  readonly address: Uint8Array;
  readonly amount: bigint;
}

export function encodeOutputValue(output: Output, path = 'output'): Uint8Array {
  return new Writer(OUTPUT_VALUE_BYTES)
    .raw(expectBytes(output.transactionId, `${path}.transactionId`, ID_BYTES))
    .u32(output.outputIndex)
    .raw(expectBytes(output.address, `${path}.address`, ADDRESS_BYTES))
    .u64(output.amount)
    .finish();
}

export function decodeOutputValue(bytes: Uint8Array, path = 'output'): Output {
  const reader = new Reader(expectBytes(bytes, path, OUTPUT_VALUE_BYTES), path);
  return {
    transactionId: reader.raw(ID_BYTES),
    outputIndex: reader.u32(),
    address: reader.raw(ADDRESS_BYTES),
    amount: reader.u64(),
  };
}
