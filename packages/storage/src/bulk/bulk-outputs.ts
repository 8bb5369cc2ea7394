/**
 * Writes many outputs with their lists and histories; trees and balances follow with `rebuildOutputs`.
 */

import { type OutputRecord, outputValue } from 'svc-ledger';
import { addressEntryCodec } from '../codec/index-records.ts';
import { SOURCES } from '../codec/names.ts';
import { STATE_CODECS } from '../codec/state-records.ts';
import { BatchBuilder } from '../commit/batch-builder.ts';
import type { KeyValueStore } from '../key-value/key-value-store.ts';
import { keyOfLeaf, leavesOfValues } from '../trees/output-leaves.ts';

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
  const values = outputs.map(({ outpoint, record }) => outputValue(outpoint, record));
  const leaves = leavesOfValues(values);
  const batch = new BatchBuilder();
  for (const { outpoint, record } of outputs) {
    batch.pack(batch.key('outputs').hex(outpoint).finish(), STATE_CODECS.outputs, record);
  }
  outputs.forEach(({ record }, index) => {
    const value = values[index] as Uint8Array;
    const key = batch
      .key('unspent')
      .raw(keyOfLeaf(leaves[index] as Uint8Array))
      .finish();
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
