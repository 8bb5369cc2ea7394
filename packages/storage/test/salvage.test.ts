import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { MEMORY_PARENT, temporaryDirectory } from 'svc-base/testing';
import type { Entry } from '../src/key-value/key-value-store.ts';
import { LevelStore } from '../src/key-value/level-store.ts';
import { LAYOUT } from '../src/layout.ts';
import { salvageDatabase } from '../src/repair/salvage-database.ts';
import type { Loss } from '../src/repair/versions.ts';

const EVERYTHING = { from: new Uint8Array(0), to: new Uint8Array(64).fill(0xff) };
const KEYS = 400;
const COMMITS = 30;
const SIZES = { writeBufferBytes: 64 << 10, fileBytes: 1 << 20, cacheBytes: 1 << 20 };

interface Salvaged {
  readonly entries: readonly Entry[];
  readonly losses: readonly Loss[];
  readonly mended: number;
  readonly isShortened: boolean;
}

function salvage(directory: string): Salvaged {
  const losses: Loss[] = [];
  let mended = 0;
  let isShortened = false;
  const entries = [
    ...salvageDatabase(directory, {
      onLoss: (loss) => void losses.push(loss),
      onMended: () => void mended++,
      onShortened: () => {
        isShortened = true;
      },
    }),
  ];
  return { entries, losses, mended, isShortened };
}

function textOf(entries: readonly Entry[]): string[] {
  return entries.map((entry) => entry.map((bytes) => Buffer.from(bytes).toString('hex')).join());
}

function isLost([key]: Entry, losses: readonly Loss[]): boolean {
  return losses.some(
    ({ from, to }) => Buffer.compare(from, key) <= 0 && Buffer.compare(key, to) <= 0,
  );
}

/** Many versions of few keys in several tables and a log, a third of the operations deletions. */
async function makeDatabase(directory: string): Promise<Entry[]> {
  let level = await LevelStore.open(directory, SIZES);
  let state = 7;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let commit = 0; commit < COMMITS; commit++) {
    if (commit === COMMITS - 3) {
      // Opening moves everything from the log into tables; the last commits stay in the log.
      await level.close();
      level = await LevelStore.open(directory, SIZES);
    }
    const operations = Array.from({ length: 60 }, () => {
      const key = Buffer.from([LAYOUT.balances.prefix, random(KEYS) >> 4, random(16), 1]);
      if (random(3) === 0) return { type: 'del', key } as const;
      return { type: 'put', key, value: Buffer.alloc(20 + random(400), commit) } as const;
    });
    await level.write(operations, { sync: false });
  }
  const entries = await level.range({ ...EVERYTHING, limit: 1_000_000 });
  await level.close();
  return entries;
}

describe('salvaging a database without its engine', () => {
  let sound: Map<string, Buffer>;
  let expected: readonly Entry[];
  before(async () => {
    const directory = temporaryDirectory(undefined, MEMORY_PARENT);
    expected = await makeDatabase(directory);
    const names = readdirSync(directory).filter((name) =>
      /\.ldb$|\.log$|MANIFEST|CURRENT/.test(name),
    );
    sound = new Map(names.map((name) => [name, readFileSync(join(directory, name))]));
    assert.ok(names.filter((name) => name.endsWith('.ldb')).length >= 1, names.join());
  });

  function copy(t: Parameters<typeof temporaryDirectory>[0]): string {
    const directory = temporaryDirectory(t, MEMORY_PARENT);
    for (const [name, bytes] of sound) writeFileSync(join(directory, name), bytes);
    return directory;
  }

  function pathOf(directory: string, ending: RegExp): string {
    const found = [...sound.keys()].filter((name) => ending.test(name)).sort();
    const largest = found.sort((a, b) => (sound.get(b)?.length ?? 0) - (sound.get(a)?.length ?? 0));
    return join(directory, largest[0] as string);
  }

  test('the newest versions are those that the engine shows', (t) => {
    const { entries, losses, mended, isShortened } = salvage(copy(t));
    assert.deepEqual(textOf(entries), textOf(expected));
    assert.deepEqual([losses, mended, isShortened], [[], 0, false]);
  });

  test('without manifest and CURRENT nothing is missing', (t) => {
    const directory = copy(t);
    for (const name of readdirSync(directory))
      if (/MANIFEST|CURRENT/.test(name)) rmSync(join(directory, name));
    const { entries, losses } = salvage(directory);
    assert.deepEqual(textOf(entries), textOf(expected));
    assert.deepEqual(losses, []);
  });

  test('any single turned bit of any file is undone, or its damage is reported', (t) => {
    const directory = copy(t);
    let lossless = 0;
    let flips = 0;
    for (const [name, bytes] of sound) {
      if (name === 'CURRENT') continue;
      for (let turn = 0; turn < 8; turn++) {
        const bit = (turn * 7_919 * 104_729 + 13 * turn) % (8 * bytes.length);
        const damaged = Buffer.from(bytes);
        damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
        writeFileSync(join(directory, name), damaged);
        const { entries, losses, isShortened } = salvage(directory);
        const words = `bit ${bit} of ${name}`;
        flips++;
        if (losses.length === 0 && !isShortened) {
          assert.deepEqual(textOf(entries), textOf(expected), words);
          lossless++;
        }
        const rest = textOf(expected.filter((entry) => !isLost(entry, losses)));
        const found = new Set(textOf(entries));
        if (!isShortened)
          assert.deepEqual(
            rest.filter((text) => !found.has(text)),
            [],
            words,
          );
      }
      writeFileSync(join(directory, name), bytes);
    }
    assert.ok(lossless >= flips * 0.98, `${lossless} of ${flips}`);
  });

  test('a table whose middle is overwritten loses no more than the reported keys', (t) => {
    const directory = copy(t);
    const path = pathOf(directory, /\.ldb$/);
    const bytes = readFileSync(path);
    bytes.fill(0xa5, 5_000, 9_000);
    writeFileSync(path, bytes);
    const { entries, losses } = salvage(directory);
    assert.ok(losses.length > 0);
    const sure = ([...some]: readonly Entry[]) =>
      textOf(some.filter((one) => !isLost(one, losses)));
    assert.deepEqual(sure(entries), sure(expected));
    assert.ok(sure(expected).length > expected.length / 4);
  });

  test('a table that is cut short or missing reports the keys after its end', (t) => {
    for (const damage of [
      (path: string) => truncateSync(path, statSync(path).size >> 1),
      (path: string) => truncateSync(path, 10),
      (path: string) => rmSync(path),
    ]) {
      const directory = copy(t);
      damage(pathOf(directory, /\.ldb$/));
      const { entries, losses } = salvage(directory);
      assert.ok(losses.length > 0);
      const sure = (some: readonly Entry[]) => textOf(some.filter((one) => !isLost(one, losses)));
      assert.deepEqual(sure(entries), sure(expected));
    }
  });

  test('an index that is overwritten costs nothing: blocks are found one behind the other', (t) => {
    const directory = copy(t);
    const path = pathOf(directory, /\.ldb$/);
    const bytes = readFileSync(path);
    bytes.fill(0x5a, bytes.length - 100);
    writeFileSync(path, bytes);
    const { entries, losses } = salvage(directory);
    assert.deepEqual(textOf(entries), textOf(expected));
    assert.deepEqual(losses, []);
  });

  test('a log with a hole is believed up to the hole', (t) => {
    const directory = copy(t);
    const path = pathOf(directory, /\.log$/);
    const bytes = readFileSync(path);
    bytes.fill(0x77, bytes.length >> 1, (bytes.length >> 1) + 40);
    writeFileSync(path, bytes);
    assert.equal(salvage(directory).isShortened, true);
  });
});
