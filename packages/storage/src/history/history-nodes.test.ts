import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { checkLeaves, hashLabel, historyRoot } from 'svc-wasm/protocol';
import { HistoryNodes } from './history-nodes.ts';
import { memoryNodes, openNodeFile } from './node-bytes.ts';

await init();

const CUTS = 200;

function idOf(height: number): Uint8Array {
  return new Uint8Array(createHash('sha384').update(`cut ${height}`).digest());
}

function filled(nodes: HistoryNodes, to: number): HistoryNodes {
  for (let height = nodes.count; height < to; height++) nodes.append([idOf(height)]);
  return nodes;
}

test('every cut is proven under the root of every later height', () => {
  const nodes = filled(new HistoryNodes(memoryNodes()), CUTS);
  for (let count = 1; count <= CUTS; count += 7) {
    const peaks = filled(new HistoryNodes(memoryNodes()), count).peaks;
    const root = historyRoot(hashLabel, count, peaks);
    for (let height = 0; height < count; height++)
      checkLeaves(nodes.prove(count, [height]), [idOf(height)], root);
    const some = [0, 1, 5, 13, 77, 78].filter((height) => height < count);
    checkLeaves(nodes.prove(count, some), some.map(idOf), root);
  }
});

test('a file has at most 96 bytes a cut, and continues where it stopped', (t) => {
  const directory = temporaryDirectory(t);
  const file = openNodeFile(directory);
  const nodes = filled(new HistoryNodes(file), CUTS);
  assert.ok(file.length <= 96 * CUTS);
  const { peaks } = nodes;
  nodes.close();
  const again = new HistoryNodes(openNodeFile(directory));
  assert.equal(again.count, CUTS);
  assert.deepEqual(again.peaks, peaks);
  again.close();
});

test('wherever a crash cuts the file, the nodes that are left are whole and grow to the same root', (t) => {
  const directory = temporaryDirectory(t);
  const whole = filled(new HistoryNodes(memoryNodes()), 37).peaks;
  for (let bytes = 0; bytes <= 71 * 48; bytes += 31) {
    const first = filled(new HistoryNodes(openNodeFile(directory)), 37);
    first.close();
    const path = join(directory, 'history');
    truncateSync(path, bytes);
    const rest = new HistoryNodes(openNodeFile(directory));
    assert.ok(rest.count <= 37);
    assert.deepEqual(filled(rest, 37).peaks, whole, `cut at ${bytes}`);
    rest.close();
  }
});

test('nodes of a longer history are cut off', () => {
  const nodes = filled(new HistoryNodes(memoryNodes()), 41);
  nodes.truncate(23);
  assert.equal(nodes.count, 23);
  assert.deepEqual(nodes.peaks, filled(new HistoryNodes(memoryNodes()), 23).peaks);
  assert.deepEqual(filled(nodes, 41).peaks, filled(new HistoryNodes(memoryNodes()), 41).peaks);
});
