import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryStore, type WriteOperation } from 'svc-storage';
import { GroupCommit } from './group-commit.ts';

/** A database whose writes take as long as the test says, and fail when it says so. */
class SlowStore extends MemoryStore {
  readonly writes: { operations: number; sync: boolean }[] = [];
  gate = Promise.resolve();
  failure: Error | undefined;

  override async write(
    operations: readonly WriteOperation[],
    options?: { readonly sync: boolean },
  ): Promise<void> {
    this.writes.push({ operations: operations.length, sync: options?.sync === true });
    await this.gate;
    if (this.failure !== undefined) throw this.failure;
    await super.write(operations);
  }
}

const put = (byte: number): WriteOperation[] => [
  { type: 'put', key: Uint8Array.of(byte), value: Uint8Array.of(byte) },
];

test('what comes during a write goes with the next one, and is answered when that is done', async () => {
  const store = new SlowStore();
  const commit = new GroupCommit(store, assert.ifError);
  const gate = Promise.withResolvers<void>();
  store.gate = gate.promise;
  const first = commit.write(put(1), { sync: true });
  while (store.writes.length === 0) await new Promise((resolve) => setImmediate(resolve));
  let answered = 0;
  const later = Array.from({ length: 50 }, (_, index) =>
    commit.write(put(2 + index), { sync: index === 7 }).then(() => answered++),
  );
  assert.equal(store.writes.length, 1);
  gate.resolve();
  await first;
  assert.equal(answered, 0);
  await Promise.all(later);
  assert.deepEqual(store.writes, [
    { operations: 1, sync: true },
    { operations: 50, sync: true },
  ]);
  await commit.write([{ type: 'del', key: Uint8Array.of(1) }], { sync: false });
  assert.deepEqual(store.writes.at(-1), { operations: 1, sync: false });
  assert.equal(store.getSync(Uint8Array.of(1)), undefined);
  await commit.settled();
});

test('a failed write is fatal: nothing is acknowledged from then on, nothing is tried again', async () => {
  const store = new SlowStore();
  const fatal: Error[] = [];
  const commit = new GroupCommit(store, (error) => void fatal.push(error));
  store.failure = new Error('no space left');
  const writes = [1, 2].map((byte) => commit.write(put(byte), { sync: true }));
  for (const write of writes) await assert.rejects(write, /no space left/);
  store.failure = undefined;
  await assert.rejects(commit.write(put(3), { sync: true }), /no space left/);
  assert.equal(fatal.length, 1);
  assert.equal(commit.failure, fatal[0]);
  assert.equal(store.writes.length, 1);
  await commit.settled();
});
