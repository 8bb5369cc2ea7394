/**
 * A thread that reads a store for a while and says how often it could.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { type ChainReader, LevelStore, ReadOnlyStore } from 'svc-storage';
import { init } from 'svc-wasm';

export interface ReadingTask {
  readonly directory: string;
  readonly operation: 'balance' | 'balances' | 'history' | 'raw-get' | 'raw-many' | 'raw-range';
  readonly addresses: readonly string[];
  readonly busyAddress: string;
  readonly millis: number;
}

const BATCH = 64;
const PAGE = 100;
const BALANCES_PREFIX = '41';
const HISTORY_PREFIX = '42';

const task = workerData as ReadingTask;
await init();

function keyOf(prefix: string, address: string): Uint8Array {
  return Buffer.from(prefix + address, 'hex');
}

async function ours(reader: ChainReader): Promise<(index: number) => Promise<unknown>> {
  const { addresses, busyAddress } = task;
  const at = (index: number) => addresses[index % addresses.length] as string;
  if (task.operation === 'balance') return (index) => reader.balances([at(index)]);
  if (task.operation === 'history') return () => reader.history(busyAddress, { limit: PAGE });
  return (index) =>
    reader.balances(Array.from({ length: BATCH }, (_, place) => at(index * BATCH + place)));
}

function raw(level: LevelStore): (index: number) => Promise<unknown> {
  const { addresses, busyAddress } = task;
  const keys = addresses.map((address) => keyOf(BALANCES_PREFIX, address));
  const at = (index: number) => keys[index % keys.length] as Uint8Array;
  const from = keyOf(HISTORY_PREFIX, busyAddress);
  const to = Buffer.concat([from, Buffer.of(0xff)]);
  if (task.operation === 'raw-get') return async (index) => level.getSync(at(index));
  if (task.operation === 'raw-range') {
    return () => level.range({ from, to, limit: PAGE + 1, reverse: true });
  }
  return (index) =>
    level.getMany(Array.from({ length: BATCH }, (_, place) => at(index * BATCH + place)));
}

async function countWithin(read: (index: number) => Promise<unknown>): Promise<number> {
  const end = performance.now() + task.millis;
  let count = 0;
  while (performance.now() < end) await read(count++);
  return count;
}

if (task.operation.startsWith('raw')) {
  const level = await LevelStore.open(`${task.directory}/db`, { createIfMissing: false });
  parentPort?.postMessage(await countWithin(raw(level)));
  await level.close();
} else {
  const store = await ReadOnlyStore.open(task.directory);
  const reader = store.reader();
  parentPort?.postMessage(await countWithin(await ours(reader)));
  await reader.close();
  await store.close();
}
