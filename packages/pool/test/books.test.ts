/**
 * What the books promise, of every database: the same tests for SQLite and for a real PostgreSQL.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { ManualClock, temporaryDirectory, until } from 'svc-base/testing';
import { readRoundDocument, roundFaults, roundRoot } from 'svc-mining';
import { init } from 'svc-wasm';
import { type Books, openBooks } from '../src/books/books.ts';
import { BookReader } from '../src/books/read-books.ts';
import { ShareWriter } from '../src/books/share-writer.ts';
import { pruneHistory, STEP_MILLIS } from '../src/books/work-history.ts';
import { type AcceptedShare, writeShares } from '../src/books/write-shares.ts';
import { type Database, DatabaseUnavailable, type Sql } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { createPayout } from '../src/payouts/payout-book.ts';
import { distributeReward } from '../src/rounds/distribute-reward.ts';
import { pruneShares } from '../src/rounds/prune-shares.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from './postgres.ts';

const IDENTITY = { chainId: 'ab'.repeat(48), poolAddress: 'dsvc1pool', height: 10 };
const ALICE = 'dsvc1alice000';
const BOB = 'dsvc1bob00000';
const SHARE: AcceptedShare = {
  mode: 'pplns',
  address: ALICE,
  worker: 'rig',
  work: 10n,
  blockWork: 40n,
  height: 11,
  timeMillis: 1_000,
};
const FEE = { feeBasisPoints: 100n };

function blockOf(digit: string, windowWork: bigint) {
  return { blockId: digit.repeat(96), anchorHeight: 11, expiresHeight: 107, windowWork };
}

interface Made {
  readonly name: string;
  open(): Promise<Database>;
}

function complies(kind: string, create: (t: TestContext) => Promise<Made>): void {
  const open = async (t: TestContext): Promise<Books & { readonly made: Made }> => {
    const made = await create(t);
    const database = await made.open();
    t.after(() => database.close());
    return { ...(await openBooks(database, IDENTITY)), made };
  };

  test(`${kind}: shares are summed by worker, and a block remembers the shares before it`, async (t) => {
    const { database } = await open(t);
    await database.transaction((sql) =>
      writeShares(sql, [
        SHARE,
        { ...SHARE, block: blockOf('a', 25n) },
        { ...SHARE, address: BOB, work: 1n << 90n },
      ]),
    );
    const rows = await database.transaction((sql) =>
      sql.rows('SELECT * FROM shares ORDER BY number'),
    );
    assert.deepEqual(
      rows.map((row) => [row['address'], String(row['shares']), row['work']]),
      [
        [ALICE, '2', '20'],
        [BOB, '1', String(1n << 90n)],
      ],
    );
    const miner = await new BookReader(database).miner(ALICE);
    assert.deepEqual(miner?.workers, [
      { worker: 'rig', shares: 2n, work: 20n, lastShareMillis: 1_000 },
    ]);
    assert.equal((await new BookReader(database).totals()).blocks.found, 1);
  });

  test(`${kind}: a block is distributed once, over the window as it stood when it was found`, async (t) => {
    const { database } = await open(t);
    await database.transaction((sql) =>
      writeShares(sql, [
        { ...SHARE, work: 100n },
        { ...SHARE, address: BOB, work: 30n },
        { ...SHARE, work: 5n, block: blockOf('a', 50n) },
        { ...SHARE, address: BOB, work: 1_000n },
      ]),
    );
    const reward = { blockId: 'a'.repeat(96), atoms: 10_000_000_001n, height: 107 };
    const distribute = (sql: Sql) => distributeReward(sql, reward, FEE);
    const round = await database.transaction(distribute);
    assert.deepEqual(
      round?.entries.map(({ address, work }) => [address, work]),
      [
        [ALICE, 20n],
        [BOB, 30n],
      ],
    );
    assert.equal(
      await database.transaction(distribute),
      undefined,
      'a second time nothing happens',
    );
    const reader = new BookReader(database);
    const totals = await reader.totals();
    assert.equal(totals.balances + totals.fees + totals.carried, reward.atoms);
    const published = readRoundDocument(JSON.parse((await reader.round(1)) as string));
    assert.deepEqual(roundFaults(published.round), []);
    assert.equal(roundRoot(published.round), published.root);
    assert.equal(totals.blocks.paid, 1);
  });

  test(`${kind}: a solo block is its finder's; what was carried waits for the next window`, async (t) => {
    const { database } = await open(t);
    await database.transaction(async (sql) => {
      await sql.rows("UPDATE meta SET value = '7' WHERE name = 'carried'");
      await writeShares(sql, [
        { ...SHARE, address: BOB },
        { ...SHARE, mode: 'solo', block: blockOf('b', 50n) },
      ]);
      await distributeReward(sql, { blockId: 'b'.repeat(96), atoms: 1_000n, height: 107 }, FEE);
    });
    const { balances, fees, carried } = await new BookReader(database).totals();
    assert.deepEqual([balances, fees, carried], [990n, 10n, 7n]);
    assert.equal((await new BookReader(database).miner(ALICE))?.balance, 990n);
  });

  test(`${kind}: a block that was never written down goes to the window at its anchor`, async (t) => {
    const { database } = await open(t);
    await database.transaction((sql) =>
      writeShares(sql, [SHARE, { ...SHARE, address: BOB, height: 30 }]),
    );
    const unrecorded = { newestHead: 12, windowWork: 100n };
    const reward = { blockId: 'c'.repeat(96), atoms: 100n, height: 107, unrecorded };
    const round = await database.transaction((sql) => distributeReward(sql, reward, FEE));
    assert.deepEqual(
      round?.entries.map(({ address }) => address),
      [ALICE],
    );
  });

  test(`${kind}: a payout takes balances with it in one step, and nothing if the step fails`, async (t) => {
    const { database, poolId } = await open(t);
    await database.transaction(async (sql) => {
      await writeShares(sql, [SHARE, { ...SHARE, address: BOB, block: blockOf('d', 100n) }]);
      await distributeReward(sql, { blockId: 'd'.repeat(96), atoms: 10_000n, height: 107 }, FEE);
    });
    const terms = { poolId, threshold: 1n, recipientsMax: 7, nowMillis: 0 };
    const failing = database.transaction(async (sql) => {
      await createPayout(sql, terms);
      throw new Error('killed');
    });
    await assert.rejects(failing, /killed/);
    const reader = new BookReader(database);
    assert.equal((await reader.totals()).balances, 9_900n);
    const payout = await database.transaction((sql) => createPayout(sql, terms));
    assert.equal(payout?.requestId, `pool-${poolId}-1`);
    assert.equal(
      payout?.lines.reduce((sum, { atoms }) => sum + atoms, 0n),
      9_900n,
    );
    assert.equal((await reader.totals()).balances, 0n);
    assert.equal(await database.transaction((sql) => createPayout(sql, terms)), undefined);
  });

  test(`${kind}: shares that no window needs are removed, and the others stay`, async (t) => {
    const { database } = await open(t);
    await database.transaction(async (sql) => {
      for (let number = 0; number < 20; number++)
        await writeShares(sql, [{ ...SHARE, height: 20 + number }]);
      await writeShares(sql, [{ ...SHARE, height: 60, block: blockOf('e', 55n) }]);
      await pruneShares(sql, 1_000, 30n);
    });
    const rows = await database.transaction((sql) => sql.rows('SELECT number FROM shares'));
    assert.equal(rows.length, 6, 'the window of the block that waits');
  });

  test(`${kind}: the work of a day is there in steps of ten minutes, of all miners and of each address`, async (t) => {
    const { database } = await open(t);
    const noon = 1_000 * STEP_MILLIS;
    const at = (step: number) => ({ timeMillis: noon + step * STEP_MILLIS });
    await database.transaction(async (sql) => {
      await writeShares(sql, [
        { ...SHARE, ...at(-145) },
        { ...SHARE, ...at(-144) },
        { ...SHARE, ...at(-2), work: 1n << 90n },
        { ...SHARE, ...at(-1) },
      ]);
      await writeShares(sql, [
        { ...SHARE, ...at(-1), address: BOB, block: blockOf('f', 100n) },
        { ...SHARE, ...at(-1), timeMillis: noon - 1 },
        { ...SHARE, ...at(0) },
      ]);
    });
    const reader = new BookReader(database);
    const read = async (address?: string) => {
      const range = { nowMillis: noon + 1, steps: 1_000 };
      const steps = await reader.history(address === undefined ? range : { ...range, address });
      assert.equal(steps.length, 144, 'a day, whatever is asked for, without the step that runs');
      assert.equal(steps[0]?.fromMillis, noon - 144 * STEP_MILLIS);
      return steps
        .filter(({ work }) => work > 0)
        .map(({ work, blocks, expectedBlocks }) => [work, blocks, expectedBlocks]);
    };
    const early = [
      [10, 0, 0.25],
      [2 ** 90, 0, 2 ** 90 / 40],
    ];
    assert.deepEqual(await read(), [...early, [30, 1, 0.75]]);
    assert.deepEqual(await read(ALICE), [...early, [20, 0, 0.5]]);
    assert.deepEqual(await read(BOB), [[10, 1, 0.25]]);
    assert.deepEqual(await read('dsvc1nobody0'), []);
    const rows = () => database.transaction((sql) => sql.rows('SELECT step FROM history'));
    const before = await rows();
    await database.transaction((sql) => pruneHistory(sql, noon));
    const after = await rows();
    assert.equal(after.length, before.length - 2, 'the step that is older than a day, twice');
    assert.ok(after.every(({ step }) => Number(step) >= 1_000 - 144));
  });

  test(`${kind}: what was acknowledged is there when the books are opened again`, async (t) => {
    const made = await create(t);
    const clock = new ManualClock();
    const first = await made.open();
    const { poolId } = await openBooks(first, IDENTITY);
    const writer = new ShareWriter({ database: first, clock, onFatal: assert.fail });
    const acknowledged = Promise.all([writer.write(SHARE), writer.write(SHARE)]);
    clock.advance(1_000);
    await acknowledged;
    assert.equal(writer.batches, 1, 'both in one write');
    await writer.close();
    await first.close();
    const second = await made.open();
    t.after(() => second.close());
    const books = await openBooks(second, { ...IDENTITY, height: 99 });
    assert.deepEqual([books.poolId, books.startHeight], [poolId, IDENTITY.height]);
    assert.equal((await new BookReader(second).miner(ALICE))?.workers[0]?.shares, 2n);
  });

  test(`${kind}: books of another chain or address are refused, and so is a second pool`, async (t) => {
    const { database, made } = await open(t);
    for (const other of [{ chainId: 'cd'.repeat(48) }, { poolAddress: 'dsvc1other' }])
      await assert.rejects(openBooks(database, { ...IDENTITY, ...other }), DatabaseUnavailable);
    await assert.rejects(made.open(), DatabaseUnavailable);
  });
}

await init();

describe('books in SQLite', () => {
  complies('sqlite', async (t) => {
    const name = join(temporaryDirectory(t), 'pool.db');
    return { name, open: () => openDatabase(name, assert.fail) };
  });
});

const programs = postgresPrograms();
const skip = programs === undefined ? 'PostgreSQL is not installed: passed over' : false;

describe('books in PostgreSQL', { skip }, () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres(programs as string);
  });
  after(() => server.stop());
  complies('postgresql', async () => {
    const { url } = server;
    const admin = await openDatabase(url, assert.fail);
    await admin.transaction(async (sql) => {
      await sql.rows('DROP SCHEMA public CASCADE');
      await sql.rows('CREATE SCHEMA public');
    });
    await admin.close();
    return { name: url, open: () => openDatabase(url, assert.fail) };
  });

  test('postgresql: a server that goes away is told, and no share is acknowledged after', async () => {
    const clock = new ManualClock();
    const [lost, fatal]: [Error[], Error[]] = [[], []];
    const database = await openDatabase(server.url, (error) => lost.push(error));
    await openBooks(database, IDENTITY);
    const writer = new ShareWriter({ database, clock, onFatal: (error) => fatal.push(error) });
    const write = (): Promise<void> => {
      const writing = writer.write(SHARE);
      clock.advance(1_000);
      return writing;
    };
    await write();
    await server.stop();
    await until(() => lost.length > 0, 'the pool hears of it without asking');
    await assert.rejects(write());
    assert.equal(fatal.length, 1);
    await assert.rejects(openDatabase(server.url, assert.fail), DatabaseUnavailable);
  });
});

test('a write that fails is fatal, and no share of it is acknowledged', async () => {
  const clock = new ManualClock();
  const fatal: Error[] = [];
  const database: Database = {
    transaction: () => Promise.reject(new Error('the disk is full')),
    close: async () => {},
  };
  const writer = new ShareWriter({ database, clock, onFatal: (error) => fatal.push(error) });
  const writing = writer.write(SHARE);
  clock.advance(1_000);
  await assert.rejects(writing, /disk is full/);
  await assert.rejects(writer.write(SHARE), /disk is full/);
  assert.equal(fatal.length, 1);
});
