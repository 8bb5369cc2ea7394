/**
 * Hashes inner nodes from the deepest upwards. Nodes of one bit are never above each other, so each bit
 * is one run; counting by bit puts the runs in order.
 */
import { hashNodes } from 'svc-wasm/protocol';
import { IntegerList } from './growing.ts';
import { KEY_BITS } from './key-bits.ts';
import { SUBTREE_WORDS } from './node-table.ts';
import type { TreeTables } from './tree-tables.ts';

/** Is handed the subtree that belongs into a slot: 16 words from `at` on. */
type HashedNode = (slot: number, words: Uint32Array, at: number) => void;

/** Inner nodes that are to be hashed, with what is known of each when it is listed: another lookup would miss the cache. */
export class HashList {
  readonly nodes: IntegerList = new IntegerList();
  /** The bits at which they part. */
  readonly bits: IntegerList = new IntegerList();
  /** Where their subtrees are kept; see `TreeTables`. */
  readonly slots: IntegerList = new IntegerList();

  push(node: number, bit: number, slot: number): void {
    this.nodes.push(node);
    this.bits.push(bit);
    this.slots.push(slot);
  }

  clear(): void {
    this.nodes.clear();
    this.bits.clear();
    this.slots.clear();
  }
}

/** Brings the subtrees above these nodes up to date; ancestors must be among them, and all must be touched. */
export function hashUpwards(tables: TreeTables, list: HashList): void {
  hashEach(tables, list, (slot, words, at) => tables.storeAt(slot, words, at));
}

/** Hashes the nodes from a number on and says whether each is what the node above it keeps of it. */
export function areNodesSound(tables: TreeTables, from: number, count: number): boolean {
  const { nodes } = tables;
  const list = new HashList();
  const end = Math.min(nodes.length, from + count);
  for (let node = from; node < end; node++)
    if (!nodes.isReleased(node))
      list.push(node, nodes.bit(node), tables.slotOf(nodes.parent(node), node));
  let isSound = true;
  hashEach(tables, list, (slot, words, at) => {
    const kept = tables.subtreeIn(slot);
    for (let i = 0; i < SUBTREE_WORDS; i++)
      if (words[at + i] !== kept.words[kept.at + i]) isSound = false;
  });
  return isSound;
}

function hashEach(tables: TreeTables, list: HashList, each: HashedNode): void {
  const { length } = list.nodes;
  const starts = new Int32Array(KEY_BITS + 1);
  for (let i = 0; i < length; i++) {
    const bit = list.bits.items[i] as number;
    starts[bit] = (starts[bit] as number) + 1;
  }
  let sum = 0;
  for (let bit = 0; bit <= KEY_BITS; bit++) {
    const count = starts[bit] as number;
    starts[bit] = sum;
    sum += count;
  }
  const nodes = new Int32Array(length);
  const slots = new Int32Array(length);
  const next = starts.slice();
  for (let i = 0; i < length; i++) {
    const bit = list.bits.items[i] as number;
    const place = next[bit] as number;
    nodes[place] = list.nodes.items[i] as number;
    slots[place] = list.slots.items[i] as number;
    next[bit] = place + 1;
  }
  for (let bit = KEY_BITS - 1; bit >= 0; bit--) {
    const start = starts[bit] as number;
    const end = starts[bit + 1] as number;
    if (start >= end) continue;
    hashNodes({ bit, nodes, start, end, pairs: tables.nodes.pairs }, (first, count, words, at) => {
      for (let i = 0; i < count; i++)
        each(slots[start + first + i] as number, words, at + i * SUBTREE_WORDS);
    });
  }
}
