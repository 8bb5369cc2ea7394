import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GatheringStore } from './gathering-store.ts';
import type { Entry, WriteOperation } from './key-value-store.ts';
import { MemoryStore } from './memory-store.ts';

class FaultyStore extends MemoryStore {
  writesLeft = Number.POSITIVE_INFINITY;

  override async write(operations: readonly WriteOperation[]): Promise<void> {
    if (this.writesLeft-- <= 0) throw new Error('ENOSPC: no space left on device');
    await super.write(operations);
  }
}

const EVERYTHING = { from: Uint8Array.of(0), to: Uint8Array.of(255) };

/** Numbers that look random and are the same in each run. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

function someOperations(next: (below: number) => number): WriteOperation[] {
  return Array.from({ length: 1 + next(12) }, () => {
    const key = Uint8Array.of(1 + next(3), next(24));
    if (next(3) === 0) return { type: 'del', key } as const;
    return { type: 'put', key, value: Uint8Array.of(next(256), next(256)) } as const;
  });
}

async function all(store: MemoryStore | GatheringStore): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const entries of store.scan(EVERYTHING)) found.push(...entries);
  return found;
}

/** The results of every kind of read. */
async function readings(store: MemoryStore | GatheringStore, next: (below: number) => number) {
  const from = Uint8Array.of(1 + next(3), next(24));
  const range = { from, to: Uint8Array.of(1 + next(4), next(24)), limit: 1 + next(9) };
  const keys = Array.from({ length: 40 }, () => Uint8Array.of(1 + next(3), next(24)));
  return {
    upwards: await store.range(range),
    downwards: await store.range({ ...range, reverse: true }),
    many: await store.getMany(keys),
    one: keys.map((key) => store.getSync(key)),
    all: await all(store),
  };
}

describe('a store that gathers writes', () => {
  test('reads what it keeps as if it were written, and a flush changes nothing that is read', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const next = generator(seed);
      const [model, below] = [new MemoryStore(), new MemoryStore()];
      const store = new GatheringStore(below);
      for (let turn = 0; turn < 30; turn++) {
        const operations = someOperations(next);
        await model.write(operations);
        const batch = store.batch({ mayWait: next(4) > 0 });
        for (const operation of operations)
          if (operation.type === 'put') batch.put(operation.key, operation.value);
          else batch.delete(operation.key);
        await batch.write({ sync: true });
        if (next(8) === 0) await store.flush();
        const question = 1 + next(1_000);
        assert.deepEqual(
          await readings(store, generator(question)),
          await readings(model, generator(question)),
        );
      }
      await store.flush();
      assert.deepEqual(await all(below), await all(model));
      assert.equal(store.keptBytes, 0);
    }
  });

  test('gives the database nothing before a batch that may not wait, and everything in one write then', async () => {
    const below = new FaultyStore();
    const store = new GatheringStore(below);
    const key = (place: number) => Uint8Array.of(1, place);
    below.writesLeft = 1;
    for (let place = 0; place < 5; place++) {
      const before = store.revision;
      const batch = store.batch({ mayWait: true });
      batch.put(key(place), Uint8Array.of(place));
      await batch.write({ sync: true });
      assert.equal(store.revision, before + 2);
      assert.equal((await all(below)).length, 0);
    }
    const last = store.batch();
    last.put(key(5), Uint8Array.of(5));
    await last.write({ sync: true });
    assert.equal((await all(below)).length, 6);
    assert.equal(below.writesLeft, 0);
  });

  test('keeps what a failed write could not hand over', async () => {
    const below = new FaultyStore();
    const store = new GatheringStore(below);
    const batch = store.batch({ mayWait: true });
    batch.put(Uint8Array.of(1), Uint8Array.of(7));
    await batch.write({ sync: true });
    below.writesLeft = 0;
    await assert.rejects(store.flush(), /ENOSPC/);
    assert.deepEqual(store.getSync(Uint8Array.of(1)), Uint8Array.of(7));
  });

  test('answers with what was kept at the call, also if it is handed over meanwhile', async () => {
    const store = new GatheringStore(new MemoryStore());
    const keys = [Uint8Array.of(1, 1), Uint8Array.of(1, 2)];
    const first = store.batch({ mayWait: true });
    first.put(Uint8Array.of(1, 1), Uint8Array.of(7));
    await first.write({ sync: true });
    const reading = store.getMany(keys);
    await store.flush();
    const second = store.batch({ mayWait: true });
    second.put(Uint8Array.of(1, 2), Uint8Array.of(8));
    await second.write({ sync: true });
    assert.deepEqual(await reading, [Uint8Array.of(7), undefined]);
  });

  test('refuses to continue with a scan during which something was kept or flushed', async () => {
    const entries = Array.from({ length: 5_000 }, (_, place): Entry => {
      return [Uint8Array.of(1, place >> 8, place & 255), Uint8Array.of(7)];
    });
    const keep = async (store: GatheringStore): Promise<void> => {
      const batch = store.batch({ mayWait: true });
      batch.put(Uint8Array.of(1, 2), Uint8Array.of(8));
      batch.delete(Uint8Array.of(1, 19));
      await batch.write({ sync: true });
    };
    for (const what of ['kept', 'flushed'] as const) {
      const store = new GatheringStore(new MemoryStore().fill(entries));
      if (what === 'flushed') await keep(store);
      const scan = store.scan(EVERYTHING)[Symbol.asyncIterator]();
      assert.ok((await scan.next()).value.length > 0);
      if (what === 'kept') await keep(store);
      else await store.flush();
      await assert.rejects(scan.next(), /kept or flushed during a scan/, what);
    }
    const store = new GatheringStore(new MemoryStore().fill(entries));
    await keep(store);
    assert.equal((await all(store)).length, 5_001);
  });

  test('forgets a batch that was not written when the next one begins', async () => {
    const store = new GatheringStore(new MemoryStore());
    const [lost, written] = [Uint8Array.of(1, 1), Uint8Array.of(1, 2)];
    const first = store.batch({ mayWait: true });
    first.put(lost, Uint8Array.of(7));
    const second = store.batch({ mayWait: true });
    second.put(written, Uint8Array.of(8));
    assert.throws(() => first.put(lost, Uint8Array.of(9)), /another was begun/);
    await assert.rejects(first.write({ sync: true }), /another was begun/);
    await second.write({ sync: true });
    assert.deepEqual(await all(store), [[written, Uint8Array.of(8)]]);
  });
});
