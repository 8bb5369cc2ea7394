/**
 * Writes many outputs with their lists and histories; trees and balances follow with `rebuildOutputs`.
 */

import { type OutputRecord, outputValue } from 'svc-ledger';
import { hashOutputs } from 'svc-wasm/internal';
import { addressEntryCodec } from '../codec/index-records.ts';
import { SOURCES } from '../codec/names.ts';
import { STATE_CODECS } from '../codec/state-records.ts';
import { BatchBuilder } from '../commit/batch-builder.ts';
import type { KeyValueStore } from '../key-value/key-value-store.ts';
import { LEAF_BYTES } from '../tree/bucket.ts';
import { KEY_BYTES } from '../tree/key-bits.ts';

const VALUE_BYTES = 109;

export interface BulkOutput {
  readonly outpoint: string;
  readonly record: OutputRecord;
}

/** With history, each output is also the first line of its address. */
export async function writeOutputsInBulk(
  store: KeyValueStore,
  outputs: readonly BulkOutput[],
  options: { readonly history: boolean },
): Promise<void> {
  const values = new Uint8Array(outputs.length * VALUE_BYTES);
  outputs.forEach(({ outpoint, record }, index) => {
    values.set(outputValue(outpoint, record), index * VALUE_BYTES);
  });
  const leaves = hashOutputs(values);
  const batch = new BatchBuilder();
  for (const { outpoint, record } of outputs) {
    batch.pack(batch.key('outputs').hex(outpoint).finish(), STATE_CODECS.outputs, record);
  }
  outputs.forEach(({ record }, index) => {
    const at = index * LEAF_BYTES;
    const key = batch
      .key('unspent')
      .raw(leaves.subarray(at, at + KEY_BYTES))
      .finish();
    const value = values.subarray(index * VALUE_BYTES, (index + 1) * VALUE_BYTES);
    batch.packer.raw(value).u8(SOURCES.indexOf(record.source)).number(record.height);
    batch.put(key, batch.packer.finish());
  });
  if (options.history) writeHistories(batch, outputs);
  await store.write(batch.operations, { sync: false });
}

function writeHistories(batch: BatchBuilder, outputs: readonly BulkOutput[]): void {
  outputs.forEach(({ outpoint, record }, index) => {
    const key = batch.key('history').hex(record.address).numberOrdered(record.height);
    batch.pack(key.u32Ordered(index).finish(), addressEntryCodec, {
      kind: 'received',
      outpoint,
      amount: record.amount,
      source: record.source,
      transactionId: outpoint.slice(0, 96),
    });
  });
}
