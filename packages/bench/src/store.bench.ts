/**
 * Reads of the head: the balance of an address, 64 of them at once, a page of 100 lines of history. The peer
 * does the same with bare keys of the same database.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LedgerStore } from 'svc-storage';
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
/** Records are decoded into objects; a bare read is not. */
const SHARE_OF_PEER_MIN = 0.3;

type Operation = 'balance' | 'balances' | 'history' | 'raw-get' | 'raw-many' | 'raw-range';

const READS = [
  { name: 'point-read', ours: 'balance', peer: 'raw-get' },
  { name: 'balances-64', ours: 'balances', peer: 'raw-many' },
  { name: 'history-page-100', ours: 'history', peer: 'raw-range' },
] as const;

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  const outputs = options.smoke ? SMOKE_OUTPUTS : Math.round(OUTPUTS * options.size);
  const directory = mkdtempSync(join(tmpdir(), 'svc-store-bench-'));
  try {
    const fixture = new StoreFixture(join(directory, 'store'), outputs);
    await fixture.build();
    const store = await fixture.open();
    const rows: Row[] = [];
    for (const read of READS) rows.push(await rowOf(read, { fixture, store }, options));
    await store.close();
    return rows;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Subject {
  readonly fixture: StoreFixture;
  readonly store: LedgerStore;
}

async function rowOf(
  { name, ours, peer }: (typeof READS)[number],
  subject: Subject,
  options: BenchOptions,
): Promise<Row> {
  const { fixture } = subject;
  const rounds = options.smoke ? 1 : ROUNDS;
  const millis = options.smoke ? 50 : MILLIS;
  let our = 0;
  let their = 0;
  for (let round = 0; round < rounds; round++) {
    our = Math.max(our, await perSecond(ours, subject, millis));
    their = Math.max(their, await perSecond(peer, subject, millis));
  }
  return {
    name: `storage::${name}/outputs=${fixture.outputs}`,
    ours: `${our.toFixed(0)} a second`,
    peer: `${their.toFixed(0)} a second (bare keys)`,
    ratio: our / their,
    limit: SHARE_OF_PEER_MIN,
  };
}

async function perSecond(
  operation: Operation,
  { fixture, store }: Subject,
  millis: number,
): Promise<number> {
  const addresses = Array.from({ length: ADDRESSES }, () =>
    storedAddress(fixture.randomIndex(), fixture.outputs),
  );
  const busyAddress = storedAddress(0, fixture.outputs);
  const read = operation.startsWith('raw')
    ? bareReads(operation, store, addresses, busyAddress)
    : ourReads(operation, store, addresses, busyAddress);
  const end = performance.now() + millis;
  let count = 0;
  while (performance.now() < end) await read(count++);
  return count / (millis / 1_000);
}

type Reading = (index: number) => Promise<unknown>;

function ourReads(
  operation: Operation,
  store: LedgerStore,
  addresses: readonly string[],
  busyAddress: string,
): Reading {
  const reader = store.reader();
  const at = (index: number) => addresses[index % addresses.length] as string;
  if (operation === 'balance') return (index) => reader.balances([at(index)]);
  if (operation === 'history') return () => reader.history(busyAddress, { limit: PAGE });
  return (index) =>
    reader.balances(Array.from({ length: BATCH }, (_, place) => at(index * BATCH + place)));
}

function bareReads(
  operation: Operation,
  { keyValues }: LedgerStore,
  addresses: readonly string[],
  busyAddress: string,
): Reading {
  const keys = addresses.map((address) => Buffer.from(BALANCES_PREFIX + address, 'hex'));
  const at = (index: number) => keys[index % keys.length] as Uint8Array;
  const from = Buffer.from(HISTORY_PREFIX + busyAddress, 'hex');
  const to = Buffer.concat([from, Buffer.of(0xff)]);
  if (operation === 'raw-get') return async (index) => keyValues.getSync(at(index));
  if (operation === 'raw-range') {
    return () => keyValues.range({ from, to, limit: PAGE + 1, reverse: true });
  }
  return (index) =>
    keyValues.getMany(Array.from({ length: BATCH }, (_, place) => at(index * BATCH + place)));
}
