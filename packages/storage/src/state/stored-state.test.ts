import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Table } from 'svc-ledger';
import { MemoryStore } from '../key-value/memory-store.ts';
import { StoredState } from './stored-state.ts';

class CountingStore extends MemoryStore {
  reads = 0;

  override getSync(key: Uint8Array): Uint8Array | undefined {
    this.reads++;
    return super.getSync(key);
  }
}

const KEYS: readonly (readonly [Table, string])[] = [
  ['registered', '00000000000007'],
  ['pools', '00000000000007'],
  ['bodies', 'ab'.repeat(48)],
  ['blocks', `00000000000007${'ab'.repeat(48)}`],
];

for (const [table, key] of KEYS)
  test(`what is not in ${table} is looked for once until the next commit`, () => {
    const store = new CountingStore();
    const state = new StoredState(store);
    for (let asked = 0; asked < 3; asked++) assert.equal(state.get(table, key), undefined);
    assert.equal(store.reads, 1);
    state.follow([]);
    assert.equal(state.get(table, key), undefined);
    assert.equal(store.reads, 2);
  });
