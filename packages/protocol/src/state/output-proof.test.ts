import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectRefused, refusal } from '../../test/testing/expect-refused.ts';
import {
  SAMPLE_ROOTS,
  sampleAddress,
  sampleOutput,
  sampleOutputs,
} from '../../test/testing/outputs.ts';
import { concatBytes } from '../base/bytes.ts';
import { init } from '../entry/node.ts';
import { ReferenceTree } from '../testing/reference-tree.ts';
import { checkOutputProof, encodeOutputProof } from './output-proof.ts';
import { encodeOutputValue, type Output } from './output-value.ts';

await init();

const OWN = sampleAddress('own');

for (const count of [1, 2, 300]) {
  test(`an output of an address with ${count} outputs is proven, with the whole balance`, () => {
    const outputs = sampleOutputs(OWN, count);
    const tree = new ReferenceTree(outputs, SAMPLE_ROOTS);
    const own = outputs[100] as Output;
    const proven = checkOutputProof(encodeOutputProof(tree.proveOutput(own)), tree.stateRoot);
    assert.deepEqual(encodeOutputValue(proven.output), encodeOutputValue(own));
    assert.equal(proven.address.count, BigInt(count));
    assert.equal(proven.address.sum, (BigInt(count) * BigInt(count + 1)) / 2n);
  });
}

test('every output of a tree has a proof, the only leaf of a tree too', () => {
  for (const outputs of [sampleOutputs(OWN, 7), [sampleOutput('only', OWN)]]) {
    const tree = new ReferenceTree(outputs, SAMPLE_ROOTS);
    for (const output of outputs) {
      checkOutputProof(encodeOutputProof(tree.proveOutput(output)), tree.stateRoot);
    }
  }
});

test('every bit of a proof counts: none can be flipped', () => {
  const outputs = sampleOutputs(OWN, 3);
  const tree = new ReferenceTree(outputs, SAMPLE_ROOTS);
  const proof = encodeOutputProof(tree.proveOutput(outputs[100] as Output));
  for (let bit = 0; bit < 8 * proof.length; bit++) {
    const changed = proof.slice();
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
    refusal(() => checkOutputProof(changed, tree.stateRoot));
  }
});

test('a proof cut short, lengthened or checked against another root is refused', () => {
  const outputs = sampleOutputs(OWN, 1);
  const tree = new ReferenceTree(outputs, SAMPLE_ROOTS);
  const proof = encodeOutputProof(tree.proveOutput(outputs[3] as Output));
  for (let length = 0; length < proof.length; length++) {
    refusal(() => checkOutputProof(proof.subarray(0, length), tree.stateRoot));
  }
  const longer = concatBytes(proof, new Uint8Array(1));
  expectRefused(() => checkOutputProof(longer, tree.stateRoot), 'trailing_bytes', 'proof');
  const otherRoot = new ReferenceTree(outputs.slice(1), SAMPLE_ROOTS).stateRoot;
  expectRefused(() => checkOutputProof(proof, otherRoot), 'wrong_state_root', 'proof');
  expectRefused(() => checkOutputProof(proof, proof), 'bad_length', 'stateRoot');
  expectRefused(() => checkOutputProof(new Uint8Array(600_000), otherRoot), 'bad_length', 'proof');
});

test('outputs that cannot be in the state are refused before any hash', () => {
  const root = new ReferenceTree([], SAMPLE_ROOTS).stateRoot;
  const proofOf = (address: Uint8Array, amount: bigint) =>
    encodeOutputProof({
      output: sampleOutput('x', address, amount),
      path: [],
      roots: SAMPLE_ROOTS,
    });
  const burn = new Uint8Array(49).fill(2, 0, 1);
  burn[48] = 1;
  expectRefused(() => checkOutputProof(proofOf(burn, 1n), root), 'bad_address');
  expectRefused(
    () =>
      checkOutputProof(
        proofOf(
          OWN.map(() => 7),
          1n,
        ),
        root,
      ),
    'bad_address',
  );
  expectRefused(() => checkOutputProof(proofOf(OWN, 0n), root), 'zero_amount');
  expectRefused(
    () => checkOutputProof(proofOf(OWN, 20_000_000_000_000_001n), root),
    'amount_too_large',
  );
});

test('a path has falling bits, siblings that hold something, and sums within the supply', () => {
  const output = sampleOutput('x', OWN);
  const root = new ReferenceTree([output], SAMPLE_ROOTS).stateRoot;
  const sibling = (sum: bigint, count: bigint) => {
    const bytes = new Uint8Array(64);
    new DataView(bytes.buffer).setBigUint64(48, sum, true);
    new DataView(bytes.buffer).setBigUint64(56, count, true);
    return bytes;
  };
  const check = (path: { bit: number; sibling: Uint8Array }[]) => () =>
    checkOutputProof(encodeOutputProof({ output, path, roots: SAMPLE_ROOTS }), root);
  const fine = sibling(1n, 1n);
  expectRefused(check([{ bit: 512, sibling: fine }]), 'bad_proof');
  expectRefused(
    check([
      { bit: 5, sibling: fine },
      { bit: 5, sibling: fine },
    ]),
    'bad_proof',
  );
  expectRefused(
    check([
      { bit: 5, sibling: fine },
      { bit: 6, sibling: fine },
    ]),
    'bad_proof',
  );
  expectRefused(check([{ bit: 5, sibling: sibling(0n, 0n) }]), 'bad_proof');
  expectRefused(check([{ bit: 5, sibling: sibling(0n, 2n ** 53n - 1n) }]), 'bad_proof');
  expectRefused(check([{ bit: 5, sibling: sibling(0n, 2n ** 64n - 1n) }]), 'bad_proof');
  const tooMuch = 20_000_000_000_000_000n;
  expectRefused(check([{ bit: 5, sibling: sibling(tooMuch, 1n) }]), 'amount_too_large');
  expectRefused(check([{ bit: 5, sibling: sibling(2n ** 64n - 1n, 1n) }]), 'amount_too_large');
  expectRefused(check([{ bit: 5, sibling: fine }]), 'wrong_state_root');
  expectRefused(check(Array.from({ length: 385 }, () => ({ bit: 1, sibling: fine }))), 'bad_proof');
});
