import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { expectRefused, refusal } from '../../test/testing/expect-refused.ts';
import {
  SAMPLE_ROOTS,
  sampleAddress,
  sampleOutput,
  sampleOutputs,
} from '../../test/testing/outputs.ts';
import { toHex } from '../base/bytes.ts';
import { init } from '../entry/node.ts';
import { ReferenceTree } from '../testing/reference-tree.ts';
import type { CompletenessProof } from './completeness-proof.ts';
import { checkCompletenessProof, encodeCompletenessProof } from './completeness-proof.ts';

await init();

const OWN = sampleAddress('own', 1);
const OTHER = sampleAddress('other');

function check(proof: CompletenessProof, tree: ReferenceTree) {
  return checkCompletenessProof(encodeCompletenessProof(proof), tree.stateRoot, proof.address);
}

for (const count of [1, 2, 300, 4096]) {
  test(`all ${count} outputs of an address are proven to be all`, () => {
    const tree = new ReferenceTree(sampleOutputs(OWN, count), SAMPLE_ROOTS);
    const proven = check(tree.proveCompleteness(OWN), tree);
    assert.equal(proven.outputs.length, count);
    assert.equal(proven.balance, (BigInt(count) * BigInt(count + 1)) / 2n);
  });
}

test('an address that alone has outputs is proven without a path', () => {
  const outputs = [sampleOutput('a', OWN), sampleOutput('b', OWN)];
  const tree = new ReferenceTree(outputs, SAMPLE_ROOTS);
  const proof = tree.proveCompleteness(OWN);
  assert.equal(proof.path.length, 0);
  assert.equal(check(proof, tree).balance, 2000n);
});

test('more outputs than 4,096 are refused', () => {
  const tree = new ReferenceTree(sampleOutputs(OWN, 4097), SAMPLE_ROOTS);
  expectRefused(() => check(tree.proveCompleteness(OWN), tree), 'bad_proof');
});

test('leaving out, adding or reordering an output is refused', () => {
  const tree = new ReferenceTree(sampleOutputs(OWN, 5), SAMPLE_ROOTS);
  const proof = tree.proveCompleteness(OWN);
  for (let index = 0; index < 5; index++) {
    const outputs = proof.outputs.toSpliced(index, 1);
    expectRefused(() => check({ ...proof, outputs }, tree), 'wrong_state_root');
  }
  const added = [...proof.outputs, sampleOutput('more', OWN)];
  refusal(() => check({ ...proof, outputs: added }, tree));
  expectRefused(() => check({ ...proof, outputs: proof.outputs.toReversed() }, tree), 'bad_proof');
  const [first] = proof.outputs;
  assert.ok(first !== undefined);
  expectRefused(() => check({ ...proof, outputs: [first, ...proof.outputs] }, tree), 'bad_proof');
});

test('hiding an output behind a path that parts within the address is refused', () => {
  const tree = new ReferenceTree(sampleOutputs(OWN, 2), SAMPLE_ROOTS);
  const { outputs } = tree.proveCompleteness(OWN);
  const [shown] = outputs;
  assert.ok(shown !== undefined);
  const { path } = tree.proveOutput(shown);
  const hiding = { ...tree.proveCompleteness(OWN), outputs: [shown], path };
  expectRefused(() => check(hiding, tree), 'bad_proof');
});

test('an address without outputs is proven to have none', () => {
  for (const count of [1, 2, 300]) {
    const tree = new ReferenceTree(sampleOutputs(OWN, count), SAMPLE_ROOTS);
    for (let index = 0; index < 40; index++) {
      const proof = tree.proveCompleteness(sampleAddress(`absent ${index}`));
      assert.ok(proof.neighbour !== undefined);
      assert.deepEqual(check(proof, tree), { outputs: [], balance: 0n });
    }
  }
});

test('in an empty tree every address has no outputs, and no path leads there', () => {
  const tree = new ReferenceTree([], SAMPLE_ROOTS);
  const proof = tree.proveCompleteness(OTHER);
  assert.deepEqual(check(proof, tree), { outputs: [], balance: 0n });
  const path = [{ bit: 3, sibling: new Uint8Array(64) }];
  expectRefused(() => check({ ...proof, path }, tree), 'bad_proof');
  const other = new ReferenceTree(sampleOutputs(OWN, 1), SAMPLE_ROOTS);
  expectRefused(() => check(proof, other), 'wrong_state_root');
});

test('absence is not proven by a leaf of the address itself, nor by one elsewhere', () => {
  const outputs = sampleOutputs(OWN, 2);
  const tree = new ReferenceTree(outputs, SAMPLE_ROOTS);
  const absent = (address: Uint8Array, neighbour: (typeof outputs)[number]) => {
    const { path, roots } = tree.proveOutput(neighbour);
    return check({ address, outputs: [], neighbour, path, roots }, tree);
  };
  const own = outputs[100];
  assert.ok(own !== undefined);
  expectRefused(() => absent(OWN, own), 'bad_proof');
  const honest = tree.proveCompleteness(OTHER).neighbour;
  assert.ok(honest !== undefined);
  let refused = 0;
  for (const neighbour of outputs.slice(0, 100)) {
    expectRefused(() => absent(OWN, neighbour), 'bad_proof');
    if (toHex(neighbour.transactionId) === toHex(honest.transactionId)) continue;
    expectRefused(() => absent(OTHER, neighbour), 'bad_proof');
    refused++;
  }
  assert.ok(refused >= 99);
});

test('every bit of both kinds of proof counts', () => {
  const tree = new ReferenceTree(sampleOutputs(OWN, 2), SAMPLE_ROOTS);
  for (const address of [OWN, OTHER]) {
    const proof = encodeCompletenessProof(tree.proveCompleteness(address));
    for (let bit = 0; bit < 8 * proof.length; bit++) {
      const changed = proof.slice();
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      refusal(() => checkCompletenessProof(changed, tree.stateRoot, address));
    }
    for (let length = 0; length < proof.length; length++) {
      const short = proof.subarray(0, length);
      refusal(() => checkCompletenessProof(short, tree.stateRoot, address));
    }
  }
});

test('a proof for another address is refused; what the burn address holds can be proven', () => {
  const tree = new ReferenceTree(sampleOutputs(OWN, 2), SAMPLE_ROOTS);
  const proof = encodeCompletenessProof(tree.proveCompleteness(OWN));
  expectRefused(() => checkCompletenessProof(proof, tree.stateRoot, OTHER), 'bad_proof');
  const burn = new Uint8Array(49).fill(2, 0, 1);
  const rewards = ['x', 'y', 'z'].map((name) => sampleOutput(name, burn));
  const rewarded = new ReferenceTree([...sampleOutputs(OWN, 2), ...rewards], SAMPLE_ROOTS);
  assert.equal(check(rewarded.proveCompleteness(burn), rewarded).outputs.length, 3);
  assert.equal(check(tree.proveCompleteness(burn), tree).outputs.length, 0);
});

test('whatever the outputs are, each address gets its own, all of them, and no other', () => {
  const owner = fc.integer({ min: 0, max: 5 });
  const arbitrary = fc.array(fc.tuple(owner, fc.bigInt({ min: 1n, max: 10n ** 12n })), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(arbitrary, (owned) => {
      const outputs = owned.map(([name, amount], index) =>
        sampleOutput(`${index}`, sampleAddress(`owner ${name}`), amount),
      );
      const tree = new ReferenceTree(outputs, SAMPLE_ROOTS);
      for (let name = 0; name <= 6; name++) {
        const expected = owned.filter(([found]) => found === name);
        const proven = check(tree.proveCompleteness(sampleAddress(`owner ${name}`)), tree);
        assert.equal(proven.outputs.length, expected.length);
        assert.equal(
          proven.balance,
          expected.reduce((sum, [, amount]) => sum + amount, 0n),
        );
      }
    }),
    { numRuns: 60, seed: 7 },
  );
});
