import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangeWords } from './change-words.ts';
import { NO_NODE, NodeTable, SUBTREE_WORDS } from './node-table.ts';

const NODES = 12;
const BATCHES = 400;
/** Of a change: the number of rows, then a number and parts for each row. */
const PARTS = 7;

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

for (const batchesMax of [3, undefined])
  test(`what batches pack leads to their rows, counted anew after ${batchesMax ?? 'very many'}`, () => {
    const random = randomOf(7);
    const table = filled(new NodeTable(batchesMax));
    const follower = filled(new NodeTable());
    for (let batch = 1; batch <= BATCHES; batch++) {
      const before = rowsOf(table);
      for (let changes = random(2 * NODES); changes > 0; changes--) {
        const node = random(NODES);
        table.touch(node);
        if (random(3) === 0) table.setLeft(node, batch);
        if (random(3) === 0) table.setParent(node, batch);
        if (random(2) === 0) table.setSubtree(2 * node + random(2), subtreeOf(batch), 0);
        if (random(2) === 0) table.list(node);
      }
      const isKept = random(3) > 0;
      const words = new ChangeWords();
      if (!isKept) table.undo();
      table.pack(words);
      if (isKept) table.commit();
      else table.forget();
      const changes = words.take();
      assert.equal(follower.unpack(changes, 0), changes.length);
      assert.deepEqual(rowsOf(follower), rowsOf(table), `batch ${batch}`);
      if (!isKept) assert.deepEqual(rowsOf(table), before, `batch ${batch} was undone`);
    }
  });

test('only parts that a batch has changed are packed, and a node is listed once', () => {
  const table = filled(new NodeTable());
  for (let batch = 0; batch < 2; batch++) {
    assert.deepEqual([table.list(4), table.list(4), table.list(5)], [true, false, true]);
    table.setSubtree(9, subtreeOf(1), 0);
    const words = new ChangeWords();
    table.pack(words);
    const [rows = 0, row = 0, ...rest] = words.take();
    assert.deepEqual([rows, row >>> 3, row & PARTS, rest.length], [1, 4, 4, SUBTREE_WORDS]);
    table.commit();
  }
});
