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

class FailingStore extends MemoryStore {
  #words = '';

  failWith(words: string): void {
    this.#words = words;
  }

  override getSync(): never {
    throw new Error(this.#words);
  }

  override async write(): Promise<never> {
    throw new Error(this.#words);
  }
}

test('a table that is cut short or cannot be read is damage to readers and writers, named and reported once', async () => {
  const key = Uint8Array.of(1);
  const said = ['Corruption: truncated block read', 'IO error: db/000005.ldb: Input/output error'];
  for (const words of said) {
    const failing = new FailingStore();
    failing.failWith(words);
    const nameDamage = () => 'db/000005.ldb has 3 bytes instead of 4';
    const store = new GuardedStore(new GatheringStore(failing), { nameDamage });
    const told: string[] = [];
    store.tellFailure(({ message }) => told.push(message));
    for (let read = 0; read < 2; read++)
      assert.throws(() => store.getSync(key), /^StoreDamagedError: db\/000005\.ldb has 3 bytes/);
    assert.equal(told.length, 1);
    assert.match(told[0] ?? '', /svcd repair/);
  }
  const failing = new FailingStore();
  failing.failWith('Corruption: truncated block read');
  const store = new GuardedStore(new GatheringStore(failing));
  const write = () => store.write([{ type: 'del', key }], { sync: true });
  await assert.rejects(write(), /^StoreDamagedError: a table file of the database is damaged/);
});
