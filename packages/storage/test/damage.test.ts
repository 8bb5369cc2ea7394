import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { TREES } from 'svc-ledger';
import { init } from 'svc-wasm';
import { formatCodec } from '../src/codec/meta-records.ts';
import { BatchBuilder } from '../src/commit/batch-builder.ts';
import { StoreDamagedError, StoreFormatError } from '../src/errors.ts';
import { LevelStore } from '../src/key-value/level-store.ts';
import { FORMAT_VERSION, rangeOf, type StoreTable } from '../src/layout.ts';
import type { LedgerStore } from '../src/ledger-store.ts';
import { putMeta } from '../src/open/meta.ts';
import { stepLadder } from './testing/ladder-chain.ts';
import { climb, openLadder } from './testing/ladder-store.ts';

await init();

const HEIGHT = 30;

/** A store whose records are in some table files and a log. When the engine merges files is its own affair. */
async function storeWithTables(directory: string): Promise<void> {
  for (let round = 0; round < 20; round++) {
    const store = await openLadder(directory);
    await climb(store, Math.min(4 * (round + 1), HEIGHT - 8));
    await store.close();
    if (round >= 4 && tablesOf(directory).length >= 2) break;
  }
  const store = await openLadder(directory);
  await climb(store, HEIGHT);
  await store.close();
  assert.ok(tablesOf(directory).length >= 1);
}

function tablesOf(directory: string): string[] {
  const database = join(directory, 'db');
  return readdirSync(database)
    .filter((file) => file.endsWith('.ldb'))
    .map((file) => join(database, file))
    .sort((a, b) => statSync(b).size - statSync(a).size);
}

/** A table file of another database. */
async function foreignTable(directory: string, path: string): Promise<void> {
  const database = join(directory, 'foreign');
  for (let round = 0; round < 2; round++) {
    const level = await LevelStore.open(database);
    const key = Uint8Array.of(0x55, round);
    await level.write([{ type: 'put', key, value: new Uint8Array(9_000) }], { sync: true });
    await level.close();
  }
  const table = readdirSync(database).find((file) => file.endsWith('.ldb')) ?? '';
  cpSync(join(database, table), path);
}

function logOf(directory: string): string {
  const database = join(directory, 'db');
  const logs = readdirSync(database).filter((file) => file.endsWith('.log'));
  return join(database, logs.sort().at(-1) ?? '');
}

async function expectDamage(directory: string, message: RegExp): Promise<void> {
  await assert.rejects(openLadder(directory), (error: unknown) => {
    assert.ok(error instanceof StoreDamagedError, String(error));
    assert.match(error.message, message);
    assert.match(error.message, /restore|snapshot|reindex|delete/i);
    return true;
  });
}

test('a table that is cut short, swapped or missing is found at open', async (t) => {
  const sound = temporaryDirectory(t);
  await storeWithTables(sound);
  const other = temporaryDirectory(t);
  await storeWithTables(other);
  const foreign = join(other, 'foreign.ldb');
  await foreignTable(other, foreign);
  const damages: [RegExp, (tables: string[]) => void][] = [
    [/bytes instead of/, ([first]) => truncateSync(first as string, 100)],
    [/bytes instead of/, ([first]) => appendFileSync(first as string, 'x')],
    [/is missing/, ([first]) => rmSync(first as string)],
    [/bytes instead of|does not hold the keys/, ([first]) => cpSync(foreign, first as string)],
    [
      /does not hold the keys/,
      ([first]) => {
        const bytes = readFileSync(first as string);
        bytes.fill(7, 3, 40);
        writeFileSync(first as string, bytes);
      },
    ],
  ];
  for (const [message, damage] of damages) {
    const directory = temporaryDirectory(t);
    cpSync(sound, directory, { recursive: true });
    damage(tablesOf(directory));
    await expectDamage(directory, message);
  }
});

test('a manifest that is missing or damaged is found at open', async (t) => {
  const sound = temporaryDirectory(t);
  await storeWithTables(sound);
  const manifest = readdirSync(join(sound, 'db')).find((file) => file.startsWith('MANIFEST'));
  for (const damage of [
    (path: string) => rmSync(path),
    (path: string) => writeFileSync(path, ''),
    (path: string) => truncateSync(path, 20),
  ]) {
    const directory = temporaryDirectory(t);
    cpSync(sound, directory, { recursive: true });
    damage(join(directory, 'db', manifest as string));
    await expectDamage(directory, /MANIFEST/);
  }
});

test('a log that was cut short or has a hole is found at open', async (t) => {
  const sound = temporaryDirectory(t);
  await storeWithTables(sound);
  const size = statSync(logOf(sound)).size;
  for (const [message, damage] of [
    [/had reached cut 30 and now ends at cut/, (path: string) => truncateSync(path, size - 5)],
    [/had reached cut 30 and now ends at cut/, (path: string) => truncateSync(path, size >> 1)],
    [/had reached cut 30 and now ends at cut/, (path: string) => truncateSync(path, 0)],
    [
      /has a hole/,
      (path: string) => {
        const bytes = readFileSync(path);
        bytes.fill(0x55, size >> 2, (size >> 2) + 64);
        writeFileSync(path, bytes);
      },
    ],
  ] as const) {
    const directory = temporaryDirectory(t);
    cpSync(sound, directory, { recursive: true });
    damage(logOf(directory));
    await expectDamage(directory, message);
  }
});

test('an older copy of the database under the newer mark is found at open', async (t) => {
  const older = temporaryDirectory(t);
  const newer = temporaryDirectory(t);
  for (const [directory, height] of [
    [older, 12],
    [newer, 25],
  ] as const) {
    const store = await openLadder(directory);
    await climb(store, height);
    await store.close();
  }
  rmSync(join(newer, 'db'), { recursive: true });
  cpSync(join(older, 'db'), join(newer, 'db'), { recursive: true });
  await expectDamage(newer, /had reached cut 25 and now ends at cut 12/);
});

test('a corrupt mark does not switch the comparison off; an empty one is a mark that was never written', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openLadder(directory);
  await climb(store, 3);
  await store.close();
  const path = join(directory, 'reached');
  const whole = readFileSync(path);
  for (let at = 0; at < 110; at += 9) {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] as number) ^ 1;
    writeFileSync(path, bytes);
    await expectDamage(directory, /reached, which tells how far .* is damaged/);
  }
  for (const empty of [Buffer.alloc(0), Buffer.alloc(whole.length)]) {
    writeFileSync(path, empty);
    await (await openLadder(directory)).close();
  }
});

async function changeRecord(
  directory: string,
  table: StoreTable,
  change: (value: Uint8Array) => Uint8Array | undefined,
  keyPart?: Uint8Array,
): Promise<void> {
  const level = await LevelStore.open(join(directory, 'db'));
  const [entry] = await level.range({ ...rangeOf(table, keyPart), limit: 1, reverse: true });
  assert.ok(entry, `there is no record of ${table}`);
  const [key, value] = entry;
  const changed = change(new Uint8Array(value));
  await level.write(
    [changed === undefined ? { type: 'del', key } : { type: 'put', key, value: changed }],
    { sync: true },
  );
  await level.close();
}

function flipped(value: Uint8Array): Uint8Array {
  const at = value.length >> 1;
  value[at] = (value[at] as number) ^ 1;
  return value;
}

test('changed records of state, trees and chain are found at open', async (t) => {
  const sound = temporaryDirectory(t);
  await storeWithTables(sound);
  for (const [table, change] of [
    ['economy', flipped],
    ['epoch', flipped],
    ['buckets', flipped],
    ['buckets', () => undefined],
    ['buckets', (value: Uint8Array) => value.subarray(0, 70)],
    ['headers', flipped],
    ['headers', () => undefined],
    ['meta', flipped],
  ] as const) {
    const directory = temporaryDirectory(t);
    cpSync(sound, directory, { recursive: true });
    await changeRecord(directory, table, change);
    rmSync(join(directory, 'trees'));
    await assert.rejects(openLadder(directory), StoreDamagedError, `${table} ${change}`);
  }
});

/** Reads every bucket of the outputs as a proof or a cut would. */
function readOutputs(store: LedgerStore): void {
  const tree = store.trees.committed('outputs');
  for (let bucket = 0; bucket <= tree.tables.nodes.length; bucket++) tree.record(bucket);
}

test('a tree record that changed after the trees were saved is found when it is read', async (t) => {
  const sound = temporaryDirectory(t);
  await storeWithTables(sound);
  for (const change of [flipped, (value: Uint8Array) => value.subarray(0, 70)]) {
    const directory = temporaryDirectory(t);
    cpSync(sound, directory, { recursive: true });
    await changeRecord(directory, 'buckets', change, Uint8Array.of(TREES.outputs));
    const store = await openLadder(directory);
    t.after(() => store.close());
    assert.throws(() => readOutputs(store), /a record of buckets is not what the state was hashed/);
    assert.throws(() => store.reader(), StoreDamagedError);
    await assert.rejects(async () => stepLadder(store), StoreDamagedError);
  }
});

test('a corrupt balance is not served, and nothing is committed after it was met', async (t) => {
  const directory = temporaryDirectory(t);
  await storeWithTables(directory);
  await changeRecord(directory, 'balances', flipped);
  const store = await openLadder(directory);
  t.after(() => store.close());
  const whole = store.keyValues.range({ ...rangeOf('balances'), limit: 10_000 });
  await assert.rejects(whole, /a record of balances has a wrong checksum.*svcd reindex/s);
  assert.throws(() => store.reader(), StoreDamagedError);
  await assert.rejects(async () => stepLadder(store), StoreDamagedError);
});

test('a store of the format before is refused with words, not called damaged', async (t) => {
  const directory = temporaryDirectory(t);
  await (await openLadder(directory)).close();
  const level = await LevelStore.open(join(directory, 'db'));
  const batch = new BatchBuilder();
  putMeta(batch, 'format', formatCodec, FORMAT_VERSION - 1);
  await level.write(batch.operations, { sync: true });
  await level.close();
  await assert.rejects(openLadder(directory), (error: unknown) => {
    assert.ok(error instanceof StoreFormatError, String(error));
    const formats = `has format ${FORMAT_VERSION - 1} and this release ${FORMAT_VERSION}`;
    assert.match(error.message, new RegExp(`${formats}.*sync anew`));
    return true;
  });
});
