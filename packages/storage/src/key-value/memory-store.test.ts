import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { WriteOperation } from './key-value-store.ts';
import { MemoryStore } from './memory-store.ts';

const LOWEST = new Uint8Array(0);
const HIGHEST = new Uint8Array(4).fill(0xff);
const EVERYTHING = { from: LOWEST, to: HIGHEST };

async function contentsOf(store: MemoryStore): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for await (const entries of store.scan(EVERYTHING))
    for (const [key, value] of entries) found.push([key.toHex(), value.toHex()]);
  return found;
}

const shortBytes = fc.uint8Array({ minLength: 1, maxLength: 2 });
const operation: fc.Arbitrary<WriteOperation> = fc.oneof(
  fc.record({ type: fc.constant('put' as const), key: shortBytes, value: shortBytes }),
  fc.record({ type: fc.constant('del' as const), key: shortBytes }),
);
const batches = fc.array(
  fc.record({
    operations: fc.array(operation, { maxLength: 400 }),
    store: fc.nat(),
    copies: fc.boolean(),
  }),
  { maxLength: 8 },
);

test('stores and their copies hold what was written to each of them, in order', async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (steps) => {
      const stores = [{ store: new MemoryStore(), model: new Map<string, string>() }];
      for (const { operations, store: chosen, copies } of steps) {
        const { store, model } = stores[chosen % stores.length] as (typeof stores)[number];
        if (copies) stores.push({ store: store.copy(), model: new Map(model) });
        await store.write(operations);
        for (const change of operations) {
          if (change.type === 'put') model.set(change.key.toHex(), change.value.toHex());
          else model.delete(change.key.toHex());
        }
      }
      for (const { store, model } of stores) {
        const expected = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
        assert.deepEqual(await contentsOf(store), expected);
        for (const [key, value] of expected)
          assert.equal(store.getSync(Uint8Array.fromHex(key))?.toHex(), value);
      }
    }),
    { numRuns: 40 },
  );
});

test('ranges keep to their ends and their limit, in both directions', async () => {
  const store = new MemoryStore();
  const put = (byte: number): WriteOperation => {
    const bytes = Uint8Array.of(byte);
    return { type: 'put', key: bytes, value: bytes };
  };
  await store.write(Array.from({ length: 200 }, (_, byte) => put(byte)));
  const range = { from: Uint8Array.of(50), to: Uint8Array.of(60) };
  const keysOf = async (options: Parameters<MemoryStore['range']>[0]) =>
    (await store.range(options)).map(([key]) => key[0]);
  assert.deepEqual(await keysOf({ ...range, limit: 3 }), [50, 51, 52]);
  assert.deepEqual(await keysOf({ ...range, limit: 3, reverse: true }), [59, 58, 57]);
  assert.equal((await keysOf({ ...range, limit: 100 })).length, 10);
  assert.deepEqual(await keysOf({ ...EVERYTHING, limit: 1, reverse: true }), [199]);
});
