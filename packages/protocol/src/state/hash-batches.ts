/**
 * A tree of outputs from scratch, in batches: packed records in, packed results out. However many
 * records there are, the kernel is called once for some hundreds of them.
 */
import { expectBytes } from '../base/bytes.ts';
import { SvcError } from '../base/svc-error.ts';
import { kernel } from '../kernel/current.ts';
import type { KernelExports } from '../kernel/exports.ts';
import { kernelError } from '../kernel/kernel-errors.ts';
import { KEYED_SUBTREE_BYTES, OUTPUT_VALUE_BYTES, SUBTREE_BYTES } from './layout.ts';

/** As many records as always fit: 64 KiB of results at up to 128 bytes each. */
const BATCH_RECORDS = 512;

interface Batch {
  readonly recordBytes: number;
  readonly resultBytes: number;
  readonly hash: (exports: KernelExports, count: number) => number;
}

const OUTPUTS: Batch = {
  recordBytes: OUTPUT_VALUE_BYTES,
  resultBytes: KEYED_SUBTREE_BYTES,
  hash: (exports, count) => exports.treeOutputs(count),
};

const LEAVES: Batch = {
  recordBytes: KEYED_SUBTREE_BYTES,
  resultBytes: 0,
  hash: (exports, count) => exports.treeRootPush(count),
};

/** Leaves of outputs: values of 109 bytes in, `key | subtree` of 128 bytes out. */
export function hashOutputs(values: Uint8Array): Uint8Array {
  return hashBatches(OUTPUTS, values, 'values');
}

/** The subtree over leaves `key | subtree` of 128 bytes, whose keys ascend. */
export function rootOfLeaves(leaves: Uint8Array): Uint8Array {
  const instance = kernel();
  instance.invoke((exports) => exports.treeRootBegin());
  hashBatches(LEAVES, leaves, 'leaves');
  const error = instance.invoke((exports) => exports.treeRootEnd());
  if (error !== 0) throw kernelError(error, -1, 'leaves');
  return instance.bytes.slice(instance.output, instance.output + SUBTREE_BYTES);
}

function hashBatches(batch: Batch, records: Uint8Array, path: string): Uint8Array {
  const { recordBytes, resultBytes } = batch;
  const count = expectBytes(records, path).length / recordBytes;
  if (!Number.isInteger(count)) {
    throw new SvcError('bad_length', `expected a multiple of ${recordBytes} bytes`, { path });
  }
  const results = new Uint8Array(count * resultBytes);
  const instance = kernel();
  for (let first = 0; first < count; first += BATCH_RECORDS) {
    const batchCount = Math.min(BATCH_RECORDS, count - first);
    const start = first * recordBytes;
    const part = records.subarray(start, start + batchCount * recordBytes);
    instance.bytes.set(part, instance.input);
    const error = instance.invoke((exports) => batch.hash(exports, batchCount));
    if (error !== 0) throw kernelError(error, -1, path);
    const end = instance.output + batchCount * resultBytes;
    results.set(instance.bytes.subarray(instance.output, end), first * resultBytes);
  }
  return results;
}
