import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangeWords } from './change-words.ts';
import { NO_NODE, NodeTable, SUBTREE_WORDS } from './node-table.ts';

const NODES = 12;
const BATCHES = 400;
/** Parts of a row in a change, below the number of the node. */
const PART_BITS = 3;

/** A small generator, so that a failing round can be run again. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function rowsOf(table: NodeTable): string[] {
  return Array.from({ length: NODES }, (_, node) => {
    const at = table.subtreeAt(node, 0);
    const links = [table.left(node), table.right(node), table.parent(node), table.bit(node)];
    return `${links} ${table.pairs.slice(at, at + 2 * SUBTREE_WORDS)}`;
  });
}

function subtreeOf(value: number): Uint32Array {
  return new Uint32Array(SUBTREE_WORDS).fill(value);
}

function filled(table: NodeTable): NodeTable {
  for (let node = 0; node < NODES; node++) table.allocate(node, NO_NODE);
  table.commit();
  return table;
}

/** Copies some rows in the middle of a batch, as the writer of a base does. */
function copyRows(from: NodeTable, to: NodeTable, start: number, end: number): void {
  const arrays = to.arrays(NODES);
  for (const [place, array] of from.arrays(NODES).entries()) {
    const words = array.length / NODES;
    arrays[place]?.set(array.subarray(start * words, end * words), start * words);
  }
}

/** Rows that nothing uses may differ. */
function usedRowsOf(table: NodeTable): string[] {
  return rowsOf(table).map((row, node) => (table.isReleased(node) ? 'released' : row));
}

/** The last begins with stamps above those of 31 bits, and exceeds their end. */
for (const firstBatch of [1, 2 ** 27 - 9, 2 ** 28 - 9])
  test(`what batches from ${firstBatch} on pack leads to their rows`, () => {
    const random = randomOf(7);
    const table = filled(new NodeTable(firstBatch));
    const follower = filled(new NodeTable());
    for (let batch = 1; batch <= BATCHES; batch++) {
      const before = usedRowsOf(table);
      for (let changes = random(2 * NODES); changes > 0; changes--) {
        const node = random(NODES);
        if (table.isReleased(node)) continue;
        table.touch(node);
        if (random(3) === 0) table.setLeft(node, batch);
        if (random(3) === 0) table.setParent(node, batch);
        if (random(2) === 0) table.setSubtree(2 * node + random(2), subtreeOf(batch), 0);
        if (random(2) === 0) table.list(node);
        if (random(6) === 0) table.release(node);
      }
      if (before.includes('released') && random(2) === 0) table.allocate(batch, batch);
      copyRows(table, follower, random(NODES), NODES);
      const isKept = random(3) > 0;
      const words = new ChangeWords();
      if (!isKept) table.undo();
      table.pack(words);
      if (isKept) table.commit();
      else table.forget();
      const changes = words.take();
      assert.equal(follower.unpack(changes, 0), changes.length);
      assert.deepEqual(usedRowsOf(follower), usedRowsOf(table), `batch ${batch}`);
      if (!isKept) assert.deepEqual(usedRowsOf(table), before, `batch ${batch} was undone`);
    }
    assert.equal(table.length, NODES, 'released rows were used again');
  });

test('only parts that a batch has changed are packed, and a node is listed once', () => {
  const table = filled(new NodeTable());
  for (let batch = 0; batch < 2; batch++) {
    assert.deepEqual([table.list(4), table.list(4), table.list(5)], [true, false, true]);
    table.setSubtree(9, subtreeOf(1), 0);
    const words = new ChangeWords();
    table.pack(words);
    const [rows, row, ...rest] = words.take();
    const rightSubtree = (4 << PART_BITS) | 4;
    assert.deepEqual([rows, row, rest.length], [1, rightSubtree, SUBTREE_WORDS]);
    table.commit();
  }
});
