/**
 * Reads of the head as a node makes them: the balance of an address, 64 of them at once, a page of 100 lines of history.
 * The peer is the bare engine: the store is closed, the same directory opened with `classic-level`, and the records of the
 * same keys are read in the same way, without checksums, views and decoding. Both have read everything once before, so that
 * no block of the store is unchecked any more. Rounds of both alternate.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import type { ChainReader } from 'svc-storage';
import { init } from 'svc-wasm';
import type { BenchOptions, Row } from './harness.ts';
import { StoreFixture, storedAddress } from './store-fixture.ts';

const OUTPUTS = 1_000_000;
const SMOKE_OUTPUTS = 20_000;
const ADDRESSES = 20_000;
const MILLIS = 2_000;
const ROUNDS = 3;
const BATCH = 64;
const PAGE = 100;
const BALANCES_PREFIX = '41';
const HISTORY_PREFIX = '42';
/** Records are checked and decoded into objects; bare ones are not. */
const SHARE_OF_PEER_MIN = 0.4;
const EVERYTHING = { gte: new Uint8Array(0), lt: new Uint8Array(64).fill(0xff) };

type Engine = ClassicLevel<Uint8Array, Uint8Array>;

/** The sizes with which the store opens it. */
const ENGINE_OPTIONS = {
  keyEncoding: 'view',
  valueEncoding: 'view',
  compression: false,
  cacheSize: 64 << 20,
  writeBufferSize: 64 << 20,
  maxFileSize: 16 << 20,
  maxOpenFiles: 4_000,
} as const;

type Reading = (index: number) => unknown;

interface Wanted {
  readonly addresses: readonly string[];
  readonly busyAddress: string;
}

interface Read {
  readonly name: string;
  readonly ours: (reader: ChainReader, wanted: Wanted) => Reading;
  readonly peer: (engine: Engine, wanted: Wanted) => Reading;
}

const READS: readonly Read[] = [
  {
    name: 'balance',
    ours: (reader, { addresses }) => {
      return (index) => reader.balance(at(addresses, index));
    },
    peer: (engine, { addresses }) => {
      const keys = addresses.map(balanceKey);
      return (index) => engine.getSync(at(keys, index));
    },
  },
  {
    name: `balances-${BATCH}`,
    ours: (reader, { addresses }) => {
      return (index) => reader.balances(batchOf(addresses, index));
    },
    peer: (engine, { addresses }) => {
      const keys = addresses.map(balanceKey);
      return (index) => engine.getMany(batchOf(keys, index));
    },
  },
  {
    name: `history-page-${PAGE}`,
    ours: (reader, { busyAddress }) => {
      return () => reader.history(busyAddress, { limit: PAGE });
    },
    peer: (engine, { busyAddress }) => {
      const gte = Buffer.from(HISTORY_PREFIX + busyAddress, 'hex');
      const lt = Buffer.concat([gte, Buffer.of(0xff)]);
      return () => engine.iterator({ gte, lt, limit: PAGE + 1, reverse: true }).all();
    },
  },
];

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  const outputs = options.smoke ? SMOKE_OUTPUTS : Math.round(OUTPUTS * options.size);
  const directory = mkdtempSync(join(tmpdir(), 'svc-store-bench-'));
  try {
    const fixture = new StoreFixture(join(directory, 'store'), outputs);
    await fixture.build();
    return await compareOn(fixture, options);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function compareOn(fixture: StoreFixture, options: BenchOptions): Promise<Row[]> {
  const { outputs } = fixture;
  const millis = options.smoke ? 50 : MILLIS;
  const best = READS.map(() => ({ ours: 0, peer: 0 }));
  for (let round = 0; round < (options.smoke ? 1 : ROUNDS); round++) {
    const wanted: Wanted = {
      addresses: Array.from({ length: ADDRESSES }, () =>
        storedAddress(fixture.randomIndex(), outputs),
      ),
      busyAddress: storedAddress(0, outputs),
    };
    const ours = await ratesOfStore(fixture, wanted, millis);
    const peer = await ratesOfEngine(fixture, wanted, millis);
    best.forEach((rates, place) => {
      rates.ours = Math.max(rates.ours, ours[place] as number);
      rates.peer = Math.max(rates.peer, peer[place] as number);
    });
  }
  return READS.map(({ name }, place) => {
    const { ours, peer } = best[place] as { ours: number; peer: number };
    return {
      name: `storage::${name}/outputs=${outputs}`,
      ours: `${ours.toFixed(0)} a second`,
      peer: `${peer.toFixed(0)} a second (bare classic-level)`,
      ratio: ours / peer,
      limit: SHARE_OF_PEER_MIN,
    };
  });
}

async function ratesOfStore(
  fixture: StoreFixture,
  wanted: Wanted,
  millis: number,
): Promise<number[]> {
  const store = await fixture.open();
  const { gte: from, lt: to } = EVERYTHING;
  for await (const entries of store.keyValues.scan({ from, to })) void entries;
  const reader = store.reader();
  const rates: number[] = [];
  for (const { ours } of READS) rates.push(await perSecond(ours(reader, wanted), millis));
  await store.close();
  return rates;
}

async function ratesOfEngine(
  { database }: StoreFixture,
  wanted: Wanted,
  millis: number,
): Promise<number[]> {
  const engine: Engine = new ClassicLevel(database, ENGINE_OPTIONS);
  await engine.open();
  for await (const entry of engine.iterator(EVERYTHING)) void entry;
  const rates: number[] = [];
  for (const { name, peer } of READS) {
    const read = peer(engine, wanted);
    if (!isComplete(await read(0))) throw new Error(`${name}: the engine lacks what was asked for`);
    rates.push(await perSecond(read, millis));
  }
  await engine.close();
  return rates;
}

function isComplete(found: unknown): boolean {
  return Array.isArray(found)
    ? found.length > 0 && !found.includes(undefined)
    : found !== undefined;
}

async function perSecond(read: Reading, millis: number): Promise<number> {
  const start = performance.now();
  let count = 0;
  while (performance.now() < start + millis) await read(count++);
  return (1_000 * count) / (performance.now() - start);
}

function balanceKey(address: string): Uint8Array {
  return Buffer.from(BALANCES_PREFIX + address, 'hex');
}

function at<T>(values: readonly T[], index: number): T {
  return values[index % values.length] as T;
}

function batchOf<T>(values: readonly T[], index: number): T[] {
  return Array.from({ length: BATCH }, (_, place) => at(values, index * BATCH + place));
}
