import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory, until } from 'svc-base/testing';
import { KeptRecords } from './kept-records.ts';
import { LevelStore } from './level-store.ts';
import { ReadGate } from './read-gate.ts';

const KEY = Uint8Array.of(1);
const RANGE = { from: KEY, to: Uint8Array.of(2) };

/** Everything that has a reader of the engine open until it ends. */
const READS: Readonly<Record<string, (store: LevelStore) => Promise<unknown>>> = {
  getMany: (store) => store.getMany([KEY]),
  range: (store) => store.range({ ...RANGE, limit: 1 }),
  scan: (store) => Array.fromAsync(store.scan(RANGE)),
};

const WRITES: Readonly<Record<string, (store: LevelStore) => Promise<void>>> = {
  'the thread that reads': (store) =>
    store.write([{ type: 'put', key: KEY, value: KEY }], { sync: false }),
  'the thread that writes': (store) => {
    const kept = new KeptRecords();
    kept.append(KEY, KEY);
    kept.keepAppended();
    const batch = store.batch();
    batch.putAll?.(kept.packed());
    return batch.write({ sync: false });
  },
};

/** Keeps every read at the gate open until the test ends it, and counts the writes that reach the gate. */
class SlowReads {
  readonly #ended = Promise.withResolvers<void>();
  writes = 0;

  constructor(t: TestContext) {
    const { read, write } = ReadGate.prototype;
    const ended = this.#ended.promise;
    const count = (): void => {
      this.writes++;
    };
    t.mock.method(
      ReadGate.prototype,
      'read',
      function (this: ReadGate, reading: () => Promise<unknown>) {
        return read.call(this, async () => {
          const found = await reading();
          await ended;
          return found;
        });
      },
    );
    t.mock.method(
      ReadGate.prototype,
      'write',
      function (this: ReadGate, writing: () => Promise<void>) {
        count();
        return write.call(this, writing);
      },
    );
  }

  end(): void {
    this.#ended.resolve();
  }
}

function turns(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

for (const [writer, write] of Object.entries(WRITES))
  for (const [name, begin] of Object.entries(READS))
    test(`${name} is never open across two writes by ${writer}`, async (t) => {
      const store = await LevelStore.open(temporaryDirectory(t), { hasWriter: true });
      const reads = new SlowReads(t);
      const reading = begin(store);
      await write(store);
      assert.equal(store.revision, 2, 'the first write does not wait');
      const second = write(store);
      await until(() => reads.writes === 2, 'the second write at the gate');
      await turns();
      assert.equal(store.revision, 2, 'the second write has begun beside a read before the first');
      reads.end();
      await Promise.all([reading, second]);
      assert.equal(store.revision, 4);
      await store.close();
    });
