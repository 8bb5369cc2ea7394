/**
 * Proofs that an output is part of the state. The kernel decodes and checks them; here they are
 * written, and what they prove is read. Receivers check them by `verify-proofs.ts`.
 */
import { Writer } from '../base/writer.ts';
import { kernel } from '../kernel/current.ts';
import { kernelError } from '../kernel/kernel-errors.ts';
import { OUTPUT_VALUE_BYTES, SUBTREE_BYTES } from './layout.ts';
import type { Output } from './output-value.ts';
import { decodeOutputValue, encodeOutputValue } from './output-value.ts';
import type { PathStep } from './path.ts';
import { writePath } from './path.ts';
import { PROOF_VERSION, placeProof } from './proof-input.ts';
import type { OtherRoots } from './state-root.ts';
import { encodeOtherRoots } from './state-root.ts';
import type { Subtree } from './subtree.ts';
import { decodeSubtree } from './subtree.ts';

export interface OutputProof {
  readonly output: Output;
  readonly path: readonly PathStep[];
  readonly roots: OtherRoots;
}

export function encodeOutputProof(proof: OutputProof, path = 'proof'): Uint8Array {
  const writer = new Writer().u8(PROOF_VERSION);
  writer.raw(encodeOutputValue(proof.output, `${path}.output`));
  return writePath(writer, proof.path, `${path}.path`)
    .raw(encodeOtherRoots(proof.roots, `${path}.roots`))
    .finish();
}

export interface ProvenOutput {
  readonly output: Output;
  /** The subtree of the output's address: its whole balance and its number of outputs. */
  readonly address: Subtree;
}

/** Refuses a proof that does not lead to the state root. */
export function checkOutputProof(proof: Uint8Array, stateRoot: Uint8Array): ProvenOutput {
  const instance = kernel();
  const { bytes, output } = instance;
  const { proofAt, proofBytes, stateRootAt } = placeProof(instance, proof, stateRoot);
  const error = instance.invoke((exports) =>
    exports.outputProofCheck(proofAt, proofBytes, stateRootAt),
  );
  if (error !== 0) throw kernelError(error, -1, 'proof');
  const valueAt = proofAt + 1;
  return {
    output: decodeOutputValue(bytes.subarray(valueAt, valueAt + OUTPUT_VALUE_BYTES)),
    address: decodeSubtree(bytes.subarray(output, output + SUBTREE_BYTES)),
  };
}
