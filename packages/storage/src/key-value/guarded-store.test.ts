import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreDamagedError } from '../errors.ts';
import { GatheringStore } from './gathering-store.ts';
import { GuardedStore } from './guarded-store.ts';
import { MemoryStore } from './memory-store.ts';

class RottenStore extends MemoryStore {
  override async getMany(): Promise<never> {
    throw new Error('Corruption: bad block contents');
  }
}

test('bytes that the engine cannot read are damage with words, and nothing is written after them', async () => {
  const store = new GuardedStore(new GatheringStore(new RottenStore()));
  const write = () => store.write([{ type: 'del', key: Uint8Array.of(1) }], { sync: true });
  await write();
  await assert.rejects(store.getMany([Uint8Array.of(1)]), (error: unknown) => {
    assert.ok(error instanceof StoreDamagedError);
    assert.match(error.message, /table file .*bad block contents.*svcd snapshot import/);
    return true;
  });
  await assert.rejects(write(), StoreDamagedError);
});
