import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { withChecksum } from '../codec/checksum.ts';
import { StoreDamagedError } from '../errors.ts';
import { ChecksummedStore } from '../key-value/checksummed-store.ts';
import type { KeyValueStore, WriteOptions } from '../key-value/key-value-store.ts';
import { LevelStore } from '../key-value/level-store.ts';
import { LAYOUT, rangeOf } from '../layout.ts';
import { bodyPath } from './body-files.ts';
import { BodyStore, bodiesOf } from './body-store.ts';
import { scrubBodies } from './scrub-bodies.ts';

await init();

const SMALL = 100;
const LARGE = 10_000;
const FILE_BYTES = 30_000;
const SYNCED: WriteOptions = { sync: true };
const BESIDE: WriteOptions = { sync: false, isBeside: true };
const SCRUB = { pieceBytes: 1_000, pause: async () => true };
/** Three bodies and their heads. */
const BODIES_PER_FILE = 3;

function bodyKey(id: number): Uint8Array {
  return new Uint8Array(49).fill(id).fill(LAYOUT.blockBodies.prefix, 0, 1);
}

function recordOf(id: number, bytes: number, content = id): Uint8Array {
  return withChecksum(bodyKey(id), new Uint8Array(bytes).fill(content));
}

function put(id: number, bytes = LARGE, content = id) {
  return { type: 'put', key: bodyKey(id), value: recordOf(id, bytes, content) } as const;
}

function deletion(id: number) {
  return { type: 'del', key: bodyKey(id) } as const;
}

async function openBodies(directory: string): Promise<ChecksummedStore> {
  const level = await LevelStore.open(directory);
  return new ChecksummedStore(
    await BodyStore.open(level, directory, { bodyFileBytes: FILE_BYTES }),
  );
}

async function withStore(
  directory: string,
  use: (store: KeyValueStore) => Promise<void>,
): Promise<void> {
  const store = await openBodies(directory);
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

function filesOf(directory: string): string[] {
  return readdirSync(bodiesOf(directory)).sort();
}

/** What a reader finds of these bodies, by each way of reading. */
async function expectBodies(
  store: KeyValueStore,
  expected: ReadonlyMap<number, Uint8Array>,
): Promise<void> {
  const ids = [...expected.keys()].sort((a, b) => a - b);
  const found = ids.map((id) => expected.get(id) as Uint8Array);
  const read = ids.map((id) => Buffer.from(store.getSync(bodyKey(id)) ?? []));
  assert.deepEqual(read, found.map(Buffer.from));
  const many = await store.getMany(ids.map(bodyKey));
  assert.deepEqual(
    many.map((record) => Buffer.from(record ?? [])),
    found.map(Buffer.from),
  );
}

async function expectListed(store: KeyValueStore, ids: readonly number[]): Promise<void> {
  const range = rangeOf('blockBodies');
  const listed = await store.range({ ...range, limit: 1_000 });
  assert.deepEqual(
    listed.map(([key]) => key[1]),
    ids,
  );
  const scanned = (await Array.fromAsync(store.scan(range))).flat();
  assert.deepEqual(scanned.map(plain), listed.map(plain));
}

function plain([key, record]: readonly [Uint8Array, Uint8Array]): string {
  return `${Buffer.from(key).toString('hex')} ${Buffer.from(record).toString('hex')}`;
}

async function crashed(t: TestContext, directory: string): Promise<string> {
  const copy = temporaryDirectory(t);
  cpSync(directory, copy, { recursive: true });
  return copy;
}

test('large bodies are in files and small ones in the database, and both are read alike', async (t) => {
  const directory = temporaryDirectory(t);
  const bodies = new Map([
    [1, recordOf(1, LARGE)],
    [2, recordOf(2, SMALL)],
    [3, recordOf(3, LARGE)],
  ]);
  await withStore(directory, async (store) => {
    await store.write([put(1), put(2, SMALL), put(3)], SYNCED);
    await expectBodies(store, bodies);
    await expectListed(store, [1, 2, 3]);
  });
  assert.deepEqual(filesOf(directory), ['000001.bodies']);
  const level = await LevelStore.open(directory);
  assert.ok((level.getSync(bodyKey(1))?.length ?? LARGE) < SMALL);
  await level.close();
  await withStore(directory, async (store) => {
    await expectBodies(store, bodies);
    await expectListed(store, [1, 2, 3]);
    assert.equal(store.getSync(bodyKey(4)), undefined);
  });
});

test('a batch that takes its operations one by one keeps what was put into it', async (t) => {
  const directory = temporaryDirectory(t);
  await withStore(directory, async (store) => {
    const batch = store.batch();
    const passing = recordOf(1, LARGE);
    batch.put(bodyKey(1), passing);
    passing.fill(0);
    batch.put(bodyKey(2), recordOf(2, LARGE));
    batch.delete(bodyKey(2));
    await batch.write(SYNCED);
    await expectBodies(store, new Map([[1, recordOf(1, LARGE)]]));
    await expectListed(store, [1]);
  });
});

test('what is written beside others is read at once, and is there after a crash with the next write alone', async (t) => {
  const directory = temporaryDirectory(t);
  await withStore(directory, async (store) => {
    await store.write([put(1)], BESIDE);
    await expectBodies(store, new Map([[1, recordOf(1, LARGE)]]));
    await withStore(await crashed(t, directory), async (before) => {
      assert.equal(before.getSync(bodyKey(1)), undefined);
    });
    await store.write(
      [
        {
          type: 'put',
          key: Uint8Array.of(0x01),
          value: withChecksum(Uint8Array.of(0x01), new Uint8Array(1)),
        },
      ],
      SYNCED,
    );
    await withStore(await crashed(t, directory), async (after) => {
      await expectBodies(after, new Map([[1, recordOf(1, LARGE)]]));
    });
  });
});

test('what goes to the database is not written beside others', async (t) => {
  const directory = temporaryDirectory(t);
  await withStore(directory, async (store) => {
    const key = Uint8Array.of(0x01);
    const other = { type: 'put', key, value: withChecksum(key, new Uint8Array(LARGE)) } as const;
    for (const refused of [put(1, SMALL), deletion(1), other])
      await assert.rejects(store.write([put(2), refused], BESIDE), /nothing but large bodies/);
    await expectListed(store, []);
  });
});

test('what a crash left in a file is cut off before the next body is written', async (t) => {
  const directory = temporaryDirectory(t);
  await withStore(directory, async (store) => {
    await store.write([put(1)], SYNCED);
    await store.write([put(2), put(3), put(4)], BESIDE);
  });
  const left = await crashed(t, directory);
  assert.deepEqual(filesOf(left), ['000001.bodies', '000002.bodies']);
  truncateSync(bodyPath(bodiesOf(left), 1), 2 * LARGE + 50);
  await withStore(left, async (store) => {
    assert.deepEqual(filesOf(left), ['000001.bodies', '000002.bodies'], 'reading changes nothing');
    await store.write([put(5, LARGE, 9)], SYNCED);
    await expectBodies(
      store,
      new Map([
        [1, recordOf(1, LARGE)],
        [5, recordOf(5, LARGE, 9)],
      ]),
    );
    await expectListed(store, [1, 5]);
  });
  assert.deepEqual(filesOf(left), ['000001.bodies']);
  assert.equal(await scrubBodies(left, SCRUB), readFileSync(bodyPath(bodiesOf(left), 1)).length);
});

test('a file goes when nothing in it is named any more, and not before that is on the disk', async (t) => {
  const directory = temporaryDirectory(t);
  await withStore(directory, async (store) => {
    for (let id = 1; id <= 2 * BODIES_PER_FILE; id++) await store.write([put(id)], SYNCED);
    assert.deepEqual(filesOf(directory), ['000001.bodies', '000002.bodies']);
    await store.write([deletion(1), put(2, SMALL)], SYNCED);
    await store.write([put(3, LARGE, 77)], { sync: false });
    assert.deepEqual(filesOf(directory), ['000001.bodies', '000002.bodies', '000003.bodies']);
    await store.write([deletion(4)], SYNCED);
    assert.deepEqual(filesOf(directory), ['000002.bodies', '000003.bodies']);
    await expectListed(store, [2, 3, 5, 6]);
    await expectBodies(
      store,
      new Map([
        [2, recordOf(2, SMALL)],
        [3, recordOf(3, LARGE, 77)],
        [5, recordOf(5, LARGE)],
        [6, recordOf(6, LARGE)],
      ]),
    );
  });
});

test('a file whose last body was deleted without a sync stays until one, and its number is not used again', async (t) => {
  const directory = temporaryDirectory(t);
  await withStore(directory, (store) => store.write([put(1)], SYNCED));
  await withStore(directory, async (store) => {
    await store.write([deletion(1)], { sync: false });
    await store.write([put(2)], BESIDE);
    assert.deepEqual(filesOf(directory), ['000001.bodies', '000002.bodies']);
    await store.write([put(3)], SYNCED);
    assert.deepEqual(filesOf(directory), ['000002.bodies']);
    await expectBodies(
      store,
      new Map([
        [2, recordOf(2, LARGE)],
        [3, recordOf(3, LARGE)],
      ]),
    );
  });
});

test('a body that is deleted while it is read is not there, and no damage', async (t) => {
  const directory = temporaryDirectory(t);
  await withStore(directory, async (store) => {
    for (let id = 1; id <= 2 * BODIES_PER_FILE; id++) await store.write([put(id)], SYNCED);
    const ids = [1, 2, 3];
    for (let round = 0; round < 20; round++) {
      const reading = store.getMany(ids.map(bodyKey));
      await store.write(ids.map(deletion), SYNCED);
      for (const [at, record] of (await reading).entries())
        if (record !== undefined)
          assert.deepEqual(Buffer.from(record), Buffer.from(recordOf(ids[at] as number, LARGE)));
      await store.write(
        ids.map((id) => put(id)),
        SYNCED,
      );
    }
  });
});

test('corruption in a file is found by its reader and by the scrub, which names the file', async (t) => {
  const directory = temporaryDirectory(t);
  await withStore(directory, (store) => store.write([put(1), put(2)], SYNCED));
  const path = bodyPath(bodiesOf(directory), 1);
  const sound = readFileSync(path);
  assert.equal(await scrubBodies(directory, SCRUB), sound.length);
  assert.ok((await scrubBodies(directory, { ...SCRUB, pause: async () => false })) < sound.length);
  for (const at of [0, 30, 50, 60, LARGE, sound.length - 1]) {
    const damaged = Buffer.from(sound);
    damaged[at] = (damaged[at] as number) ^ 4;
    writeFileSync(path, damaged);
    await assert.rejects(scrubBodies(directory, SCRUB), (error: unknown) => {
      assert.ok(error instanceof StoreDamagedError);
      assert.match(error.message, /000001\.bodies is damaged at byte \d+.*svcd repair/);
      return true;
    });
  }
  await withStore(directory, async (store) => {
    assert.throws(() => store.getSync(bodyKey(2)), /a record of blockBodies has a wrong checksum/);
    await assert.rejects(store.getMany([bodyKey(2)]), StoreDamagedError);
    await expectBodies(store, new Map([[1, recordOf(1, LARGE)]]));
  });
});

test('a file that is missing or shorter than it was is reported when the store is opened', async (t) => {
  const directory = temporaryDirectory(t);
  await withStore(directory, (store) => store.write([put(1), put(2)], SYNCED));
  const path = bodyPath(bodiesOf(directory), 1);
  truncateSync(path, LARGE);
  await assert.rejects(openBodies(directory), /000001\.bodies is shorter than it was.*svcd repair/);
  rmSync(path);
  await assert.rejects(openBodies(directory), /000001\.bodies is missing.*svcd repair/);
  await (await LevelStore.open(directory)).close();
});

test('a file that goes away under an open store is damage for its readers', async (t) => {
  const directory = temporaryDirectory(t);
  await withStore(directory, async (store) => {
    await store.write([put(1)], SYNCED);
    rmSync(join(bodiesOf(directory), '000001.bodies'));
    assert.throws(() => store.getSync(bodyKey(1)), /000001\.bodies is missing/);
    await assert.rejects(store.getMany([bodyKey(1)]), /000001\.bodies is missing/);
  });
});
