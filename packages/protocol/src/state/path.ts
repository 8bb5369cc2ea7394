/**
 * Paths of proofs, from a leaf or subtree upwards; `docs/protocol.md` 9.3.
 */
import { expectBytes } from '../base/bytes.ts';
import type { Writer } from '../base/writer.ts';
import { SUBTREE_BYTES } from './layout.ts';

export interface PathStep {
  readonly bit: number;
  readonly sibling: Uint8Array;
}

export function writePath(writer: Writer, steps: readonly PathStep[], path: string): Writer {
  writer.varint(steps.length);
  steps.forEach(({ bit, sibling }, index) => {
    writer.u16(bit).raw(expectBytes(sibling, `${path}[${index}].sibling`, SUBTREE_BYTES));
  });
  return writer;
}
