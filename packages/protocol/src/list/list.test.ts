import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { expectRefused } from '../../test/testing/expect-refused.ts';
import { toHex } from '../base/bytes.ts';
import { Reader } from '../base/reader.ts';
import { init } from '../entry/node.ts';
import { hashLabel } from '../kernel/hash-label.ts';
import { appendHistory, historyRoot, peakCount } from './history-peaks.ts';
import {
  checkLeaves,
  encodeListProof,
  type ListProof,
  proveLeaves,
  readListProof,
} from './list-proof.ts';
import { hashListLeaves, listLevels, listRoot, listTree, rootOfList } from './list-tree.ts';

await init();

const LENGTHS = [1, 2, 3, 4, 5, 7, 8, 9, 31, 64, 65, 1_366, 4_097];

function digest(...parts: readonly (string | Uint8Array)[]): Uint8Array {
  const hash = createHash('sha384');
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}

/** The tree by its definition. */
function treeOver(leaves: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array(48)] = leaves;
  if (leaves.length < 2) return first;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return digest('SVC_LIST_V1', treeOver(leaves.slice(0, split)), treeOver(leaves.slice(split)));
}

function leavesOf(length: number): Uint8Array[] {
  return Array.from({ length }, (_, index) => digest(`leaf ${index}`));
}

function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  return listRoot(leaves.length, treeOver(leaves));
}

function prove(leaves: readonly Uint8Array[], indexes: readonly number[]): ListProof {
  return proveLeaves(leaves.length, indexes, (first, end) => treeOver(leaves.slice(first, end)));
}

test('the tree of the kernel is the tree of the definition, at every length', () => {
  for (const length of LENGTHS) {
    const leaves = leavesOf(length);
    assert.equal(toHex(listTree(Buffer.concat(leaves))), toHex(treeOver(leaves)), `${length}`);
  }
  assert.equal(toHex(listTree(new Uint8Array(0))), '00'.repeat(48));
});

test('levels end in the root, and each has half of the nodes of the one below, rounded up', () => {
  const levels = listLevels(Buffer.concat(leavesOf(21)));
  assert.deepEqual(
    levels.map(({ length }) => length / 48),
    [21, 11, 6, 3, 2, 1],
  );
});

test('leaves carry the label of their list', () => {
  const records = Array.from({ length: 1_400 }, (_, index) => new Uint8Array(index % 300));
  for (const [kind, label] of [
    ['outcome', 'SVC_OUTCOME_V1'],
    ['change', 'SVC_CHANGE_V1'],
  ] as const) {
    const expected = Buffer.concat(records.map((record) => digest(label, record)));
    assert.equal(toHex(hashListLeaves(kind, records)), toHex(expected));
  }
  assert.notEqual(toHex(rootOfList('outcome', records)), toHex(rootOfList('change', records)));
});

test('any leaves of any list are proven, and come back from the bytes of their proof', () => {
  fc.assert(
    fc.property(
      fc
        .integer({ min: 1, max: 200 })
        .chain((length) =>
          fc.tuple(
            fc.constant(length),
            fc.uniqueArray(fc.integer({ min: 0, max: length - 1 }), { minLength: 1, maxLength: 9 }),
          ),
        ),
      ([length, positions]) => {
        const leaves = leavesOf(length);
        const indexes = positions.toSorted((a, b) => a - b);
        const proof = prove(leaves, indexes);
        const read = readListProof(new Reader(encodeListProof(proof), 'proof'));
        assert.deepEqual(read, proof);
        const proven = indexes.map((index) => leaves[index] as Uint8Array);
        checkLeaves(read, proven, rootOf(leaves));
      },
    ),
    { numRuns: 200 },
  );
});

test('a proof holds for no other leaf, position, length, node or root', () => {
  const leaves = leavesOf(37);
  const root = rootOf(leaves);
  const proof = prove(leaves, [5, 6, 30]);
  const [a, b, c] = [5, 6, 30].map((index) => leaves[index] as Uint8Array) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  const refused = (changed: Partial<ListProof>, proven = [a, b, c], at = root): void => {
    assert.throws(() => checkLeaves({ ...proof, ...changed }, proven, at), /root|nodes|leaves/);
  };
  checkLeaves(proof, [a, b, c], root);
  refused({}, [b, a, c]);
  refused({}, [a, b]);
  refused({}, [a, b, leaves[31] as Uint8Array]);
  refused({ indexes: [5, 6, 31] });
  refused({ count: 36 });
  refused({ count: 38 });
  refused({ nodes: proof.nodes.slice(1) });
  refused({ nodes: [...proof.nodes, a] });
  refused({}, [a, b, c], rootOf(leaves.slice(0, 36)));
  for (let at = 0; at < proof.nodes.length; at++)
    refused({ nodes: proof.nodes.with(at, new Uint8Array(48)) });
});

test('positions that do not ascend within the list are refused', () => {
  const proof = prove(leavesOf(9), [2, 4]);
  for (const indexes of [
    [4, 2],
    [2, 2],
    [2, 9],
  ]) {
    const changed = { ...proof, indexes };
    expectRefused(() => encodeListProof(changed), 'bad_proof', 'proof');
  }
});

test('the peaks of a history lead to the root of the list, with every id that is appended', () => {
  const leaves = leavesOf(300);
  let peaks: readonly Uint8Array[] = [];
  let nodes = 0;
  leaves.forEach((leaf, count) => {
    peaks = appendHistory(hashLabel, count, peaks, leaf, () => nodes++);
    assert.equal(peaks.length, peakCount(count + 1));
    const root = historyRoot(hashLabel, count + 1, peaks);
    assert.equal(toHex(root), toHex(rootOf(leaves.slice(0, count + 1))));
  });
  assert.ok(nodes <= 2 * leaves.length, 'two nodes for each cut at most');
});

test('the path of one cut among thirty million is below 3 KB', () => {
  const node = new Uint8Array(48);
  const proof = proveLeaves(30_000_000, [241], () => node);
  assert.ok(encodeListProof(proof).length < 1_400);
});
