/**
 * The longest answer of every route beside its units: not by time, but by the records that are read for it.
 */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { ROUTES, type Route } from 'svc-api';
import type { MemoryStore } from 'svc-storage';
import { longestRequest } from './testing/example-requests.ts';
import { useStoryNode } from './testing/story-node.ts';

/** So many records of the store may be read for one unit. */
const RECORDS_FOR_UNIT = 64;

/** Counts the records that are read from a store until the test ends. */
function countRecords(t: TestContext, disk: MemoryStore): () => number {
  let count = 0;
  const { getSync, getMany, range } = disk;
  t.mock.method(disk, 'getSync', (key: Uint8Array) => {
    count++;
    return getSync.call(disk, key);
  });
  t.mock.method(disk, 'getMany', (keys: readonly Uint8Array[]) => {
    count += keys.length;
    return getMany.call(disk, keys);
  });
  t.mock.method(disk, 'range', async (options: Parameters<typeof range>[0]) => {
    const entries = await range.call(disk, options);
    count += entries.length;
    return entries;
  });
  return () => count;
}

suite('the cost of reads', () => {
  const use = useStoryNode();

  test('what grows with a page or a batch is charged by its items', () => {
    for (const route of Object.values(ROUTES) as Route[]) {
      const grows = route.page !== undefined || route.batch !== undefined;
      assert.equal(route.weight.perItem !== undefined, grows, route.name);
    }
  });

  test('no route reads more records of the store than its units allow', async (t) => {
    const records = countRecords(t, use.story.disk);
    for (const route of Object.values(ROUTES) as Route[]) {
      const { target, body, items } = longestRequest(route, use.story);
      const before = records();
      const { status, text } = await use.node.send(target, body === undefined ? {} : { body });
      // The transaction of the story waits in the mempool already.
      if (route.name !== 'transactionSubmit') assert.equal(status, 200, text);
      const units = route.weight.base + (route.weight.perItem ?? 0) * items;
      const read = records() - before;
      assert.ok(read <= units * RECORDS_FOR_UNIT, `${route.name}: ${read} for ${units} units`);
    }
  });
});
