/**
 * The state root: one hash over the four trees and the totals.
 */
import type { Hash } from '../context.ts';
import type { Identifier } from '../identifiers.ts';
import { LABELS, toHex, Writer } from '../protocol.ts';
import type { Subtree, TreeRoots } from './trees.ts';

export function subtreeBytes({ hash, sum, count }: Subtree): Uint8Array {
  return new Writer(64).raw(hash).u64(sum).u64(count).finish();
}

export function stateRoot(hash: Hash, roots: TreeRoots, totals: Uint8Array): Identifier {
  const { outputs, positions, validators, keys } = roots;
  const trees = [outputs, positions, validators, keys].map(subtreeBytes);
  return toHex(hash(LABELS.state, ...trees, totals));
}
