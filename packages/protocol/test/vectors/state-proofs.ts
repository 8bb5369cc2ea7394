/**
 * State trees and proofs of section 9.
 */
import { toHex } from '../../src/base/bytes.ts';
import { encodeCompletenessProof } from '../../src/state/completeness-proof.ts';
import { encodeOutputProof } from '../../src/state/output-proof.ts';
import { encodeOutputValue } from '../../src/state/output-value.ts';
import { encodeOtherRoots } from '../../src/state/state-root.ts';
import { outputKey, ReferenceTree } from '../../src/testing/reference-tree.ts';
import { SAMPLE_ROOTS, sampleAddress, sampleOutput } from '../fixtures/outputs.ts';

const OWN = sampleAddress('own');
const OUTPUTS = [
  ...[0, 1, 2].map((index) => sampleOutput(`own ${index}`, OWN, BigInt(index + 1))),
  ...[0, 1, 2, 3, 4].map((index) =>
    sampleOutput(`other ${index}`, sampleAddress(`other ${index}`, index % 2 === 0 ? 0 : 1)),
  ),
];

export function stateProofVectors(): object {
  const tree = new ReferenceTree(OUTPUTS, SAMPLE_ROOTS);
  const empty = new ReferenceTree([], SAMPLE_ROOTS);
  const nobody = sampleAddress('nobody');
  return {
    note: 'A tree of eight outputs, three of them of one address, its root, the state root over it, and proofs; section 9 of docs/protocol.md. The other roots are bytes without a meaning.',
    outputs: OUTPUTS.map((output) => ({
      value_hex: toHex(encodeOutputValue(output)),
      tree_key: toHex(outputKey(output)),
      amount: output.amount.toString(),
    })),
    outputs_subtree_hex: toHex(tree.subtree),
    other_roots_hex: toHex(encodeOtherRoots(SAMPLE_ROOTS)),
    state_root: toHex(tree.stateRoot),
    empty_state_root: toHex(empty.stateRoot),
    output_proofs: OUTPUTS.map((output) => toHex(encodeOutputProof(tree.proveOutput(output)))),
    completeness: {
      address_hex: toHex(OWN),
      proof_hex: toHex(encodeCompletenessProof(tree.proveCompleteness(OWN))),
    },
    absence: {
      address_hex: toHex(nobody),
      proof_hex: toHex(encodeCompletenessProof(tree.proveCompleteness(nobody))),
    },
    absence_in_empty_tree: {
      address_hex: toHex(nobody),
      proof_hex: toHex(encodeCompletenessProof(empty.proveCompleteness(nobody))),
    },
  };
}
