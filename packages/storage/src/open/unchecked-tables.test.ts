import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { MEMORY_PARENT, temporaryDirectory } from 'svc-base/testing';
import { StoreDamagedError } from '../errors.ts';
import type { Entry, KeyValueStore } from '../key-value/key-value-store.ts';
import { type LevelOptions, LevelStore } from '../key-value/level-store.ts';
import { LAYOUT, rangeOf } from '../layout.ts';
import { CHAIN_CONTENTS } from './contents.ts';
import { checkLevelFiles } from './level-files.ts';
import { readLog } from './level-log.ts';
import { liveTables } from './level-manifest.ts';
import { type CheckedLevel, openCheckedLevel } from './open-level.ts';
import { UncheckedTable } from './unchecked-table.ts';
import { UncheckedTables } from './unchecked-tables.ts';

const KEYS = 3_000;
const KEYS_PER_BATCH = 600;
const FLIPS = 12;
const ROUNDS_MAX = 1_000;
/** Lies behind the first block of a table, whose first key is looked at when it is opened, and before its index. */
const DATA_FROM = 6_000;
const DATA_BYTES = 30_000;
/** Small files, so that there are several levels of them. */
const SIZES = { writeBufferBytes: 64 << 10, fileBytes: 1 << 20 };
/** Writes nothing down by itself, so that a test reads the files that it opened. */
const RESTING = { writeBufferBytes: 8 << 20 };

/** The generation that each key was written in last; undefined where it was deleted. */
type Model = (number | undefined)[];

function keyOf(index: number): Uint8Array {
  return Buffer.from([LAYOUT.balances.prefix, index >> 8, index & 0xff, index % 7]);
}

function valueAt(index: number, generation: number): Buffer {
  return Buffer.alloc(100, `${index} ${generation} `);
}

/**
 * Old versions in tables one after another, newer ones and deletions in a table above those. What is written in the
 * order of keys goes to a lower level at once, and so few tables in the first level are not compacted.
 */
async function fill(directory: string): Promise<Model> {
  const model: Model = new Array(KEYS).fill(undefined);
  for (let generation = 0; generation < 2; generation++) {
    const { store } = await openCheckedLevel(directory, generation === 0 ? SIZES : RESTING);
    for (let first = 0; first < KEYS; first += KEYS_PER_BATCH) {
      const batch = store.batch();
      for (let index = first; index < first + KEYS_PER_BATCH; index += 1 + generation) {
        const isDeleted = index % 5 === 3 * generation;
        if (isDeleted) batch.delete(keyOf(index));
        else batch.put(keyOf(index), valueAt(index, generation));
        model[index] = isDeleted ? undefined : generation;
      }
      await batch.write({ sync: false });
    }
    await store.close();
  }
  await (await openCheckedLevel(directory, RESTING)).store.close();
  return model;
}

function tablesOf(directory: string): string[] {
  const manifest = readFileSync(join(directory, 'CURRENT'), 'utf8').trim();
  const live = liveTables(readLog(readFileSync(join(directory, manifest))).records);
  return live.map(({ number }) => join(directory, `${String(number).padStart(6, '0')}.ldb`));
}

function flip(path: string, bit: number): void {
  const bytes = readFileSync(path);
  bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
  writeFileSync(path, bytes);
}

/** One of so many keys is looked up: there is one in each block, and so few do not make the engine compact. */
const STRIDE = 28;
const LOOKED_UP = Array.from({ length: Math.floor(KEYS / STRIDE) }, (_, at) => at * STRIDE);
const PAGE = 64;

interface Read {
  readonly indexes?: readonly number[];
  readonly read: (store: KeyValueStore) => AsyncIterable<readonly Entry[]>;
}

const READS = {
  scan: { read: (store) => store.scan(rangeOf('balances')) },
  getSync: {
    indexes: LOOKED_UP,
    async *read(store) {
      for (const key of LOOKED_UP.map(keyOf)) yield entriesOf([key], [store.getSync(key)]);
    },
  },
  getMany: {
    indexes: LOOKED_UP,
    async *read(store) {
      const keys = LOOKED_UP.map(keyOf);
      yield entriesOf(keys, await store.getMany(keys));
    },
  },
  range: {
    async *read(store) {
      for (let { from, to } = rangeOf('balances'); ; ) {
        const page = await store.range({ from, to, limit: PAGE });
        yield page;
        if (page.length < PAGE) return;
        from = Buffer.concat([page.at(-1)?.[0] ?? from, Buffer.of(0)]);
      }
    },
  },
  reversed: {
    indexes: Array.from({ length: KEYS }, (_, at) => KEYS - 1 - at),
    async *read(store) {
      for (let { from, to } = rangeOf('balances'); ; ) {
        const page = await store.range({ from, to, limit: PAGE, reverse: true });
        yield page;
        if (page.length < PAGE) return;
        to = page.at(-1)?.[0] ?? to;
      }
    },
  },
} as const satisfies Readonly<Record<string, Read>>;

function entriesOf(keys: readonly Uint8Array[], values: readonly (Uint8Array | undefined)[]) {
  return keys.flatMap((key, at): Entry[] => {
    const value = values[at];
    return value === undefined ? [] : [[key, value]];
  });
}

function lineOf([key, value]: Entry): string {
  return Buffer.concat([key, value]).toString('latin1');
}

/** Adds what is read to a list, up to the damage. */
async function list({ read }: Read, store: KeyValueStore, found: string[]): Promise<void> {
  for await (const entries of read(store)) found.push(...entries.map(lineOf));
}

function linesOf(model: Model, { indexes = [...model.keys()] }: Read): string[] {
  return indexes.flatMap((index) => {
    const generation = model[index];
    return generation === undefined ? [] : [lineOf([keyOf(index), valueAt(index, generation)])];
  });
}

describe('a database with a flipped bit', async () => {
  const parent = temporaryDirectory(undefined, MEMORY_PARENT);
  const sound = join(parent, 'sound');
  const model = await fill(sound);

  function copyOf(directory: string, name = 'copy'): string {
    const copy = join(parent, name);
    rmSync(copy, { recursive: true, force: true });
    cpSync(directory, copy, { recursive: true });
    return copy;
  }

  function copySound(): string {
    return copyOf(sound, 'work');
  }

  /** Opens a copy in which a bit of a data block is turned. */
  async function openFlipped(turn: number, sizes: LevelOptions): Promise<CheckedLevel> {
    const directory = copySound();
    const tables = tablesOf(directory);
    const path = tables[turn % tables.length] as string;
    flip(path, 8 * DATA_FROM + ((turn * 7_919 * 104_729) % (8 * DATA_BYTES)));
    return await openCheckedLevel(directory, sizes);
  }

  test('has several tables and shows the newest versions as long as it is sound', async () => {
    const sizes = tablesOf(sound).map((path) => readFileSync(path).length);
    assert.ok(sizes.length > 2 && Math.min(...sizes) > DATA_FROM + DATA_BYTES, String(sizes));
    const { store, unchecked } = await openCheckedLevel(copySound(), RESTING);
    for (const [name, read] of Object.entries(READS)) {
      const found: string[] = [];
      await list(read, store, found);
      assert.deepEqual(found, linesOf(model, read), name);
    }
    assert.equal(unchecked.isDone, true, 'who has read everything has checked everything');
    await store.close();
  });

  for (const [name, read] of Object.entries(READS))
    test(`answers ${name} with damage, and before that with what was written last`, async () => {
      for (let turn = 0; turn < FLIPS; turn++) {
        const { store } = await openFlipped(turn, RESTING);
        const found: string[] = [];
        await assert.rejects(list(read, store, found), isDamage, `turn ${turn}`);
        assert.deepEqual(found, linesOf(model, read).slice(0, found.length));
        await store.close();
      }
    });

  test('keeps no index of a file that was checked, also while a table is still held', () => {
    const tables: UncheckedTable[] = [];
    checkLevelFiles(copySound(), CHAIN_CONTENTS, {
      onTable: (table, file) => tables.push(new UncheckedTable(table, file)),
    });
    const unchecked = new UncheckedTables(tables);
    const { from, to } = rangeOf('balances');
    unchecked.expectSound(from, keyOf(KEYS >> 1));
    assert.ok(tables.some(({ indexBytes }) => indexBytes > 0));
    unchecked.expectSound(from, to);
    assert.equal(unchecked.isDone, true);
    assert.ok(tables.every(({ indexBytes }) => indexBytes === 0));
  });

  test('is found damaged in the background without any read', async () => {
    for (let turn = 0; turn < 3; turn++) {
      const { store, unchecked } = await openFlipped(turn, RESTING);
      // The pauses of the check keep no process alive.
      const alive = setInterval(() => {}, 60_000);
      const damage = await unchecked.checkRest().finally(() => clearInterval(alive));
      assert.match(String(damage?.message), /tables balances.*svcd repair/);
      await store.close();
    }
  });

  test('shows no deleted record when the deletion has become corrupt, also after a compaction', async () => {
    const directory = copySound();
    const path = tablesOf(directory).at(-1) ?? '';
    const bytes = readFileSync(path);
    const isWhole = (index: number) => bytes.includes(keyOf(index));
    const index = model.findIndex((generation, at) => generation === undefined && isWhole(at));
    const key = keyOf(index);
    flip(path, 8 * (bytes.indexOf(key) + key.length - 1) + 3);

    const engine = await LevelStore.open(copyOf(directory));
    assert.notEqual(engine.getSync(key), undefined, 'the engine alone brings the old record back');
    await engine.close();

    const { store } = await openCheckedLevel(directory, SIZES);
    const isLive = () => tablesOf(directory).includes(path);
    for (let round = 0; isLive(); round++) {
      assert.ok(round < ROUNDS_MAX, 'the table was never compacted');
      const batch = store.batch();
      for (let at = 1; at < KEYS; at += 3) batch.put(keyOf(at), valueAt(at, 7));
      await batch.write({ sync: false });
    }
    assert.throws(() => store.getSync(key), isDamage);
    await store.close();
  });
});

function isDamage(error: unknown): boolean {
  return error instanceof StoreDamagedError || String(error).includes('Corruption: ');
}
