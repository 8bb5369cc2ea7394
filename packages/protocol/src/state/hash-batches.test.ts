import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectRefused } from '../../test/testing/expect-refused.ts';
import { SAMPLE_ROOTS, sampleAddress, sampleOutputs } from '../../test/testing/outputs.ts';
import { compareBytes, concatBytes } from '../base/bytes.ts';
import { init } from '../entry/node.ts';
import { outputKey, ReferenceTree } from '../testing/reference-tree.ts';
import { hashOutputs, rootOfLeaves } from './hash-batches.ts';
import { EMPTY_SUBTREE } from './layout.ts';
import { encodeOutputValue, type Output } from './output-value.ts';

await init();

const OWN = sampleAddress('own');

function valuesOf(outputs: readonly Output[]): Uint8Array {
  return concatBytes(...outputs.map((output) => encodeOutputValue(output)));
}

function sorted(outputs: readonly Output[]): Output[] {
  return outputs.toSorted((a, b) => compareBytes(outputKey(a), outputKey(b)));
}

test('the root of sorted leaves is that of the reference tree, in one batch and in many', () => {
  for (const count of [0, 1, 411, 412, 413, 2000]) {
    const outputs = sampleOutputs(OWN, count);
    const root = rootOfLeaves(hashOutputs(valuesOf(sorted(outputs))));
    assert.deepEqual(root, new ReferenceTree(outputs, SAMPLE_ROOTS).subtree);
  }
});

test('hashed outputs carry their key, and no outputs make the empty tree', () => {
  const [output] = sampleOutputs(OWN, 0) as [Output];
  const leaf = hashOutputs(valuesOf([output]));
  assert.deepEqual(leaf.subarray(0, 64), outputKey(output));
  assert.deepEqual(rootOfLeaves(new Uint8Array(0)), EMPTY_SUBTREE);
});

test('leaves out of order or twice, bad outputs and torn records are refused', () => {
  const leaves = hashOutputs(valuesOf(sorted(sampleOutputs(OWN, 2))));
  const swapped = concatBytes(leaves.subarray(128, 256), leaves.subarray(0, 128));
  expectRefused(() => rootOfLeaves(swapped), 'bad_proof');
  const twice = concatBytes(leaves.subarray(0, 128), leaves.subarray(0, 128));
  expectRefused(() => rootOfLeaves(twice), 'bad_proof');
  expectRefused(() => rootOfLeaves(leaves.subarray(1)), 'bad_length', 'leaves');
  expectRefused(() => hashOutputs(new Uint8Array(108)), 'bad_length', 'values');
  expectRefused(() => hashOutputs(new Uint8Array(109)), 'zero_amount', 'values');
});
