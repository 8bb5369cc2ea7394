import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Client } from 'svc-client';
import type { Change } from './change.ts';
import { type ReadOptions, readSince } from './past.ts';

interface Chain {
  readonly height: number;
  readonly changes: readonly Change[];
  readonly pageRows: number;
}

/** Serves changes from a list, page by page, as a node does. */
function clientOf({ changes, height, pageRows }: Chain): Pick<Client, 'addressChanges'> {
  const page = (rows: readonly Change[], cursor: string | undefined) => {
    const at = Number(cursor ?? 0);
    const next = at + pageRows < rows.length ? { next_cursor: String(at + pageRows) } : {};
    return { changes: rows.slice(at, at + pageRows), ...next };
  };
  return {
    addressChanges: async ({ addresses, after_height = 0, cursor }) => ({
      api_version: 1,
      indexed_height: height,
      ...page(
        changes.filter(
          ({ address, finalized_height }) =>
            addresses.includes(address) &&
            finalized_height > after_height &&
            finalized_height <= height,
        ),
        cursor,
      ),
    }),
  };
}

function optionsOf(chain: Chain, own: number, heldMax: number): ReadOptions {
  const ids = new Map<string, number>(
    Array.from({ length: own }, (_, at) => [`a${at}`, at + 1] as const),
  );
  const references = (after: number, limit: number) =>
    [...ids].map(([address, id]) => ({ id, address })).slice(after, after + limit);
  return {
    client: clientOf(chain),
    addresses: { references },
    heldMax,
  };
}

function change(height: number, address: string, index: number): Change {
  const transaction_id = index.toString(16).padStart(96, '0');
  return {
    address,
    finalized_height: height,
    kind: 'received',
    outpoint: { transaction_id, output_index: 0 },
    amount: '1',
    source: 'regular',
    transaction_id,
  };
}

test('read in whatever parts, every change of an own address comes once, at or below the height that is told', async () => {
  const scenario = fc.record({
    heights: fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 60 }),
    own: fc.integer({ min: 1, max: 150 }),
    pageRows: fc.integer({ min: 1, max: 9 }),
    heldMax: fc.integer({ min: 1, max: 20 }),
    from: fc.integer({ min: 0, max: 29 }),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ heights, heldMax, own, pageRows, from }) => {
      const changes = heights
        .toSorted((a, b) => a - b)
        .map((height, at) => change(height, `a${(at * 37) % 200}`, at));
      const options = optionsOf({ height: 30, changes, pageRows }, own, heldMax);
      const seen: string[] = [];
      for (let after = from; after < 30; ) {
        const read = await readSince(options, after, 30);
        assert.ok(read.upTo > after && read.upTo <= 30);
        for (const each of read.changes) {
          assert.ok(each.finalized_height > after && each.finalized_height <= read.upTo);
          seen.push(each.transaction_id);
        }
        after = read.upTo;
      }
      const wanted = changes
        .filter(
          ({ address, finalized_height }) =>
            finalized_height > from && Number(address.slice(1)) < own,
        )
        .map(({ transaction_id }) => transaction_id);
      assert.deepEqual(seen.toSorted(), wanted.toSorted());
    }),
    { numRuns: 300 },
  );
});

test('what a node says came below the height that was read is not taken for new', async () => {
  const options = optionsOf({ height: 30, changes: [change(9, 'a0', 1)], pageRows: 9 }, 1, 20);
  const { addressChanges } = options.client;
  const client = {
    ...options.client,
    addressChanges: (asked: Parameters<typeof addressChanges>[0]) =>
      addressChanges({ ...asked, after_height: 0 }),
  } as Client;
  assert.deepEqual(await readSince({ ...options, client }, 10, 30), { changes: [], upTo: 30 });
});
