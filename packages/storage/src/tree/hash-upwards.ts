/**
 * Hashes inner nodes from the deepest upwards. Nodes of one bit never lie above each other, so each bit
 * is one run; counting by bit puts the runs in order.
 */
import { hashNodes } from 'svc-wasm/protocol';
import { IntegerList } from './growing.ts';
import { KEY_BITS } from './key-bits.ts';
import { SUBTREE_WORDS } from './node-table.ts';
import type { TreeTables } from './tree-tables.ts';

/** Is handed the subtree of a node: 16 words from `at` on. */
type HashedNode = (node: number, words: Uint32Array, at: number) => void;

/** Brings the subtrees above these nodes up to date; ancestors must be among them. */
export function hashUpwards(tables: TreeTables, list: IntegerList): void {
  hashEach(tables, list, (node, words, at) => {
    tables.storeSubtree(tables.nodes.parent(node), node, words, at);
  });
}

/** Hashes the nodes from a number on and says whether each is what the node above it keeps of it. */
export function areNodesSound(tables: TreeTables, from: number, count: number): boolean {
  const { nodes } = tables;
  const list = new IntegerList();
  const end = Math.min(nodes.length, from + count);
  for (let node = from; node < end; node++) if (!nodes.isReleased(node)) list.push(node);
  let isSound = true;
  hashEach(tables, list, (node, words, at) => {
    const kept = tables.subtreeOf(nodes.parent(node), node);
    for (let i = 0; i < SUBTREE_WORDS; i++)
      if (words[at + i] !== kept.words[kept.at + i]) isSound = false;
  });
  return isSound;
}

function hashEach(tables: TreeTables, list: IntegerList, each: HashedNode): void {
  const { nodes } = tables;
  const starts = new Int32Array(KEY_BITS + 1);
  for (let i = 0; i < list.length; i++) {
    const bit = nodes.bit(list.items[i] as number);
    starts[bit] = (starts[bit] as number) + 1;
  }
  let sum = 0;
  for (let bit = 0; bit <= KEY_BITS; bit++) {
    const count = starts[bit] as number;
    starts[bit] = sum;
    sum += count;
  }
  const sorted = new Int32Array(list.length);
  const next = starts.slice();
  for (let i = 0; i < list.length; i++) {
    const node = list.items[i] as number;
    const bit = nodes.bit(node);
    const place = next[bit] as number;
    sorted[place] = node;
    next[bit] = place + 1;
  }
  for (let bit = KEY_BITS - 1; bit >= 0; bit--) {
    const start = starts[bit] as number;
    const end = starts[bit + 1] as number;
    if (start >= end) continue;
    const run = { bit, nodes: sorted, start, end, pairs: nodes.pairs };
    hashNodes(run, (first, count, words, at) => {
      for (let i = 0; i < count; i++)
        each(sorted[start + first + i] as number, words, at + i * SUBTREE_WORDS);
    });
  }
}
