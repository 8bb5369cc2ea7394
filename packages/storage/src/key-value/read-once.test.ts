import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { BodyStore } from '../bodies/body-store.ts';
import { UncheckedTables } from '../open/unchecked-tables.ts';
import { BlockCheckedStore } from './block-checked-store.ts';
import { ChecksummedStore } from './checksummed-store.ts';
import { GatheringStore } from './gathering-store.ts';
import { GuardedStore } from './guarded-store.ts';
import type { KeyValueStore, ReadOptions } from './key-value-store.ts';
import { MemoryStore } from './memory-store.ts';

const KEYS = [Uint8Array.of(1), Uint8Array.of(2)];

class AskedStore extends MemoryStore {
  readonly asked: (ReadOptions | undefined)[] = [];

  override getMany(keys: readonly Uint8Array[], options?: ReadOptions) {
    this.asked.push(options);
    return super.getMany(keys);
  }
}

test('every layer between a cut and the engine hands on that records are read once', async (t) => {
  const engine = new AskedStore();
  const checked = new BlockCheckedStore(engine, new UncheckedTables([]), async () => {});
  const bodies = await BodyStore.open(checked, temporaryDirectory(t));
  const gathering = new GatheringStore(new ChecksummedStore(bodies));
  const store: KeyValueStore = new GuardedStore(gathering);
  await store.getMany(KEYS);
  await store.getMany(KEYS, { isOnce: true });
  const kept = gathering.batch({ mayWait: true });
  kept.put(Uint8Array.of(3), Uint8Array.of(3));
  await kept.write({ sync: true });
  await store.getMany(KEYS, { isOnce: true });
  assert.deepEqual(engine.asked, [undefined, { isOnce: true }, { isOnce: true }]);
});
