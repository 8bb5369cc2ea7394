/**
 * State trees and proofs of section 9.
 */
import { concatBytes, toHex } from '../../src/base/bytes.ts';
import {
  checkCompletenessProof,
  encodeCompletenessProof,
} from '../../src/state/completeness-proof.ts';
import { checkOutputProof, encodeOutputProof } from '../../src/state/output-proof.ts';
import type { Output } from '../../src/state/output-value.ts';
import { encodeOutputValue } from '../../src/state/output-value.ts';
import { encodeOtherRoots } from '../../src/state/state-root.ts';
import { outputKey, ReferenceTree } from '../../src/testing/reference-tree.ts';
import { SAMPLE_ROOTS, sampleAddress, sampleOutput } from '../testing/outputs.ts';
import { otherLengths, refusedBytes, withBytes } from './refused.ts';

const OWN = sampleAddress('own');
const OUTPUTS = [
  ...[0, 1, 2].map((index) => sampleOutput(`own ${index}`, OWN, BigInt(index + 1))),
  ...[0, 1, 2, 3, 4].map((index) =>
    sampleOutput(`other ${index}`, sampleAddress(`other ${index}`, index % 2 === 0 ? 0 : 1)),
  ),
];

const STEP_BYTES = 66;
const PATH_AT = 1 + 109;
const ROOTS_BYTES = 240;
const COUNT_AT = 1 + 49;
const ENTRY_BYTES = 60;

function refusedOutputProofs(tree: ReferenceTree): object[] {
  const proof = encodeOutputProof(tree.proveOutput(OUTPUTS[0] as Output));
  const steps = proof[PATH_AT] as number;
  const first = PATH_AT + 1;
  const step = (index: number) =>
    proof.subarray(first + index * STEP_BYTES, first + (index + 1) * STEP_BYTES);
  const swapped = concatBytes(
    proof.subarray(0, first),
    step(1),
    step(0),
    proof.subarray(first + 2 * STEP_BYTES),
  );
  const shorter = concatBytes(
    proof.subarray(0, PATH_AT),
    Uint8Array.of(steps - 1),
    proof.subarray(first + STEP_BYTES),
  );
  return refusedBytes('output_proof_hex', (bytes) => checkOutputProof(bytes, tree.stateRoot), {
    ...otherLengths(proof),
    'version 2': withBytes(proof, 0, 2),
    'another amount': withBytes(proof, PATH_AT - 8, 7),
    'an amount of zero': withBytes(proof, PATH_AT - 8, 0),
    'a burn address of another value': withBytes(proof, 1 + 52, 2),
    'an address of type 3': withBytes(proof, 1 + 52, 3),
    'steps in another order': swapped,
    'a step left out': shorter,
    'a bit of 512': withBytes(proof, first, 0x00, 0x02),
    'a sibling without leaves': withBytes(proof, first + 2 + 56, ...new Array<number>(8).fill(0)),
    'a sibling worth more than the supply': withBytes(
      proof,
      first + 2 + 48,
      ...new Array<number>(8).fill(0xff),
    ),
    'another root of the positions': withBytes(
      proof,
      proof.length - ROOTS_BYTES,
      (proof.at(-ROOTS_BYTES) ?? 0) ^ 1,
    ),
  });
}

function refusedCompletenessProofs(tree: ReferenceTree): object[] {
  const proof = encodeCompletenessProof(tree.proveCompleteness(OWN));
  const absent = sampleAddress('nobody');
  const absence = encodeCompletenessProof(tree.proveCompleteness(absent));
  const entries = COUNT_AT + 1;
  const entry = (index: number) =>
    proof.subarray(entries + index * ENTRY_BYTES, entries + (index + 1) * ENTRY_BYTES);
  const head = proof.subarray(0, COUNT_AT);
  const tail = proof.subarray(entries + 3 * ENTRY_BYTES);
  const check = (address: Uint8Array) => (bytes: Uint8Array) =>
    checkCompletenessProof(bytes, tree.stateRoot, address);
  const { output } = tree.proveOutput(OUTPUTS[0] as Output);
  const ofOwn = concatBytes(
    head,
    Uint8Array.of(0, 1),
    encodeOutputValue(output),
    encodeOutputProof(tree.proveOutput(output)).subarray(PATH_AT),
  );
  return [
    ...refusedBytes('completeness_proof_hex', check(OWN), {
      ...otherLengths(proof),
      'an output left out': concatBytes(head, Uint8Array.of(2), entry(0), entry(1), tail),
      'an output twice': concatBytes(head, Uint8Array.of(3), entry(0), entry(0), entry(1), tail),
      'outputs in another order': concatBytes(
        head,
        Uint8Array.of(3),
        entry(1),
        entry(0),
        entry(2),
        tail,
      ),
      'an own output as the neighbour': ofOwn,
    }),
    ...refusedBytes('completeness_proof_hex', check(absent), {
      'found is 2': withBytes(absence, COUNT_AT + 1, 2),
      'an empty tree with a path': concatBytes(
        absence.subarray(0, COUNT_AT + 1),
        Uint8Array.of(0),
        absence.subarray(COUNT_AT + 2 + 109),
      ),
    }),
  ];
}

export function stateProofVectors(): object {
  const tree = new ReferenceTree(OUTPUTS, SAMPLE_ROOTS);
  const empty = new ReferenceTree([], SAMPLE_ROOTS);
  const absent = sampleAddress('nobody');
  return {
    note: 'A tree of eight outputs, three of them of one address, its root, the state root over it, proofs that lead to it, and proofs that do not; section 9 of docs/protocol.md. The other roots are bytes without a meaning.',
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
      address_hex: toHex(absent),
      proof_hex: toHex(encodeCompletenessProof(tree.proveCompleteness(absent))),
    },
    absence_in_empty_tree: {
      address_hex: toHex(absent),
      proof_hex: toHex(encodeCompletenessProof(empty.proveCompleteness(absent))),
    },
    refused: [...refusedOutputProofs(tree), ...refusedCompletenessProofs(tree)],
  };
}
