/** `H(label, data)` by the runtime's own SHA-384, so that ledger tests need no kernel. */
import { createHash } from 'node:crypto';
import type { ListRoot } from '../../src/commitment/cut-lists.ts';
import type { Hash } from '../../src/context.ts';
import type { Identifier } from '../../src/identifiers.ts';
import { LABELS, Writer } from '../../src/protocol.ts';

export const referenceHash: Hash = (label, ...parts) => {
  const hash = createHash('sha384').update(label);
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
};

/** An identifier made from any text. */
export function idOf(text: string): Identifier {
  return createHash('sha384').update(text).digest('hex');
}

/** The root of a Merkle list, written down from `docs/protocol.md` 8.8. */
export const referenceListRoot: ListRoot = (leaf, records) => {
  const leaves = records.map((record) => referenceHash(LABELS[leaf], record));
  const count = new Writer(8).u64(BigInt(leaves.length)).finish();
  return referenceHash(LABELS.listRoot, count, treeOver(leaves));
};

function treeOver(leaves: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array(48)] = leaves;
  if (leaves.length < 2) return first;
  const split = 2 ** (Math.ceil(Math.log2(leaves.length)) - 1);
  return referenceHash(
    LABELS.list,
    treeOver(leaves.slice(0, split)),
    treeOver(leaves.slice(split)),
  );
}
