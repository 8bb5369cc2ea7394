/**
 * Proofs that a list holds every output of an address, or that it has none. The kernel decodes and
 * checks them; here they are written, and what they prove is read. Receivers check them by `verify-proofs.ts`.
 */
import { expectBytes } from '../base/bytes.ts';
import { Reader } from '../base/reader.ts';
import { ADDRESS_BYTES, ID_BYTES } from '../base/sizes.ts';
import { Writer } from '../base/writer.ts';
import { kernel } from '../kernel/current.ts';
import { kernelError } from '../kernel/kernel-errors.ts';
import { HASH_BYTES, SUBTREE_BYTES } from './layout.ts';
import type { Output } from './output-value.ts';
import { encodeOutputValue } from './output-value.ts';
import type { PathStep } from './path.ts';
import { writePath } from './path.ts';
import { ADDRESS_AT, PROOF_VERSION, placeProof } from './proof-input.ts';
import type { OtherRoots } from './state-root.ts';
import { encodeOtherRoots } from './state-root.ts';

export interface CompletenessProof {
  readonly address: Uint8Array;
  /** Every output of the address, ascending by tree key. */
  readonly outputs: readonly Output[];
  /** For an address without outputs: the leaf where a search for it ends, if there is any leaf. */
  readonly neighbour: Output | undefined;
  readonly path: readonly PathStep[];
  readonly roots: OtherRoots;
}

export function encodeCompletenessProof(proof: CompletenessProof, path = 'proof'): Uint8Array {
  const { address, outputs, neighbour } = proof;
  const writer = new Writer()
    .u8(PROOF_VERSION)
    .raw(expectBytes(address, `${path}.address`, ADDRESS_BYTES))
    .varint(outputs.length);
  outputs.forEach(({ transactionId, outputIndex, amount }, index) => {
    const at = `${path}.outputs[${index}].transactionId`;
    writer
      .raw(expectBytes(transactionId, at, ID_BYTES))
      .u32(outputIndex)
      .u64(amount);
  });
  if (outputs.length === 0) writeNeighbour(writer, neighbour, `${path}.neighbour`);
  return writePath(writer, proof.path, `${path}.path`)
    .raw(encodeOtherRoots(proof.roots, `${path}.roots`))
    .finish();
}

function writeNeighbour(writer: Writer, neighbour: Output | undefined, path: string): void {
  if (neighbour === undefined) writer.u8(0);
  else writer.u8(1).raw(encodeOutputValue(neighbour, path));
}

export interface ProvenOutputs {
  readonly outputs: readonly Output[];
  readonly balance: bigint;
}

/** Refuses a proof that is not about this address or does not lead to the state root. */
export function checkCompletenessProof(
  proof: Uint8Array,
  stateRoot: Uint8Array,
  address: Uint8Array,
): ProvenOutputs {
  const instance = kernel();
  const { bytes, view, output } = instance;
  const addressAt = instance.input + ADDRESS_AT;
  const { proofAt, proofBytes, stateRootAt } = placeProof(instance, proof, stateRoot);
  bytes.set(expectBytes(address, 'address', ADDRESS_BYTES), addressAt);
  const error = instance.invoke((exports) =>
    exports.completenessProofCheck(proofAt, proofBytes, addressAt, stateRootAt),
  );
  if (error !== 0) throw kernelError(error, -1, 'proof');
  const first = view.getUint32(output + SUBTREE_BYTES, true);
  const count = view.getUint32(output + SUBTREE_BYTES + 4, true);
  return {
    outputs: readOutputs(bytes.subarray(proofAt + first, proofAt + proofBytes), count, address),
    balance: view.getBigUint64(output + HASH_BYTES, true),
  };
}

function readOutputs(entries: Uint8Array, count: number, address: Uint8Array): Output[] {
  const reader = new Reader(entries);
  return Array.from({ length: count }, () => ({
    transactionId: reader.raw(ID_BYTES),
    outputIndex: reader.u32(),
    address,
    amount: reader.u64(),
  }));
}
