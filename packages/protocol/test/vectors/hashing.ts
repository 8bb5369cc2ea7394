/**
 * Labels and contexts, and what each label gives for the same data.
 */
import { toHex } from '../../src/base/bytes.ts';
import { CONTEXTS, LABELS } from '../../src/base/labels.ts';
import { hashLabel } from '../../src/kernel/hash-label.ts';

const DATA = Uint8Array.from({ length: 100 }, (_, index) => index);

export function hashingVectors(): object {
  return {
    note: 'H(label, data) = SHA-384(label | data) of section 1 of docs/protocol.md, for every label over the same data and over nothing, and the context strings of signatures.',
    data_hex: toHex(DATA),
    labels: Object.values(LABELS).map((label) => ({
      label,
      of_data: toHex(hashLabel(label, DATA)),
      of_nothing: toHex(hashLabel(label)),
    })),
    contexts: Object.values(CONTEXTS),
  };
}
