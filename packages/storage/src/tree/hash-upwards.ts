/**
 * Hashes inner nodes from the deepest upwards. Nodes of one bit never lie above each other, so each bit
 * is one run; counting by bit puts the runs in order.
 */
import { hashNodes } from 'svc-wasm/protocol';
import type { IntegerList } from './growing.ts';
import { KEY_BITS } from './key-bits.ts';
import { SUBTREE_WORDS } from './node-table.ts';
import type { TreeTables } from './tree-tables.ts';

/** Brings the subtrees above these nodes up to date; ancestors must be among them. */
export function hashUpwards(tables: TreeTables, list: IntegerList): void {
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
    if (start < end) hashRun(tables, sorted, bit, start, end);
  }
}

function hashRun(
  tables: TreeTables,
  sorted: Int32Array,
  bit: number,
  start: number,
  end: number,
): void {
  const { nodes } = tables;
  const run = { bit, nodes: sorted, start, end, pairs: nodes.pairs };
  hashNodes(run, (first, count, words, at) => {
    for (let i = 0; i < count; i++) {
      const node = sorted[start + first + i] as number;
      tables.storeSubtree(nodes.parent(node), node, words, at + i * SUBTREE_WORDS);
    }
  });
}
