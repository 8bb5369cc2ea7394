import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryStore, type WriteOperation } from 'svc-storage';
import { GroupCommit } from './group-commit.ts';

/** A store on which every write waits until it is let through, or fails. */
class SlowStore extends MemoryStore {
  readonly groups: number[] = [];
  isDurable = true;
  readonly #waiting: PromiseWithResolvers<void>[] = [];

  override async write(
    operations: readonly WriteOperation[],
    options?: { readonly sync: boolean },
  ): Promise<void> {
    this.isDurable &&= options?.sync === true;
    this.groups.push(operations.length);
    const gate = Promise.withResolvers<void>();
    this.#waiting.push(gate);
    await gate.promise;
    await super.write(operations);
  }

  async next(error?: Error): Promise<void> {
    while (this.#waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const gate = this.#waiting.shift();
    if (error === undefined) gate?.resolve();
    else gate?.reject(error);
  }
}

const key = (byte: number) => Uint8Array.of(byte);

test('what comes while a write is under way shares the next one', async () => {
  const store = new SlowStore();
  const commit = new GroupCommit(store, assert.fail);
  const first = [commit.put(key(1), key(1)), commit.put(key(2), key(2))];
  await new Promise((resolve) => setImmediate(resolve));
  const second = [3, 4, 5].map((byte) => commit.put(key(byte), key(byte)));
  commit.delete(key(1));
  let isSecondDone = false;
  void Promise.all(second).then(() => {
    isSecondDone = true;
  });
  await store.next();
  await Promise.all(first);
  assert.equal(isSecondDone, false);
  await store.next();
  await Promise.all(second);
  assert.deepEqual(store.groups, [2, 4]);
  assert.ok(store.isDurable);
  assert.equal(store.getSync(key(1)), undefined);
  assert.deepEqual(store.getSync(key(5)), key(5));
  await commit.settled();
});

test('after a failed write everything fails, and it is told once', async () => {
  const store = new SlowStore();
  const fatal: Error[] = [];
  const commit = new GroupCommit(store, (error) => void fatal.push(error));
  const first = commit.put(key(1), key(1));
  await new Promise((resolve) => setImmediate(resolve));
  const second = commit.put(key(2), key(2));
  const outcome = Promise.allSettled([first, second]);
  await store.next(new Error('no space left'));
  const statuses = (await outcome).map(({ status }) => status);
  assert.deepEqual(statuses, ['rejected', 'rejected']);
  await assert.rejects(commit.put(key(3), key(3)), /no space left/);
  assert.equal(fatal.length, 1);
  assert.deepEqual(store.groups, [1]);
  await commit.settled();
});
