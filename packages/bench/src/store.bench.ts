/**
 * Reads from two worker threads: the balance of an address, 64 of them at once, a page of 100 lines of
 * history. The peer does the same with bare keys of the same database.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { init } from 'svc-wasm';
import type { BenchOptions, Row } from './harness.ts';
import { StoreFixture, storedAddress } from './store-fixture.ts';
import type { ReadingTask } from './store-worker.ts';

const OUTPUTS = 1_000_000;
const SMOKE_OUTPUTS = 20_000;
const WORKERS = 2;
const ADDRESSES = 20_000;
const MILLIS = 2_000;
const ROUNDS = 3;
/** Records are decoded into objects; a bare read is not. */
const SHARE_OF_PEER_MIN = 0.3;

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
    for (const read of READS) rows.push(await rowOf(read, fixture, options));
    await store.close();
    return rows;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function rowOf(
  { name, ours, peer }: (typeof READS)[number],
  fixture: StoreFixture,
  options: BenchOptions,
): Promise<Row> {
  const rounds = options.smoke ? 1 : ROUNDS;
  const millis = options.smoke ? 50 : MILLIS;
  let our = 0;
  let their = 0;
  for (let round = 0; round < rounds; round++) {
    our = Math.max(our, await perSecond(ours, fixture, millis));
    their = Math.max(their, await perSecond(peer, fixture, millis));
  }
  return {
    name: `storage::${name}/outputs=${fixture.outputs}`,
    ours: `${our.toFixed(0)} a second from ${WORKERS} workers`,
    peer: `${their.toFixed(0)} a second (bare keys)`,
    ratio: our / their,
    limit: SHARE_OF_PEER_MIN,
  };
}

async function perSecond(
  operation: ReadingTask['operation'],
  fixture: StoreFixture,
  millis: number,
): Promise<number> {
  const counts = await Promise.all(
    Array.from({ length: WORKERS }, async () => {
      const addresses = Array.from({ length: ADDRESSES }, () =>
        storedAddress(fixture.randomIndex(), fixture.outputs),
      );
      const task: ReadingTask = {
        directory: fixture.directory,
        operation,
        addresses,
        busyAddress: storedAddress(0, fixture.outputs),
        millis,
      };
      const worker = new Worker(new URL('store-worker.ts', import.meta.url), { workerData: task });
      const [count] = (await once(worker, 'message')) as [number];
      await once(worker, 'exit');
      return count;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0) / (millis / 1_000);
}
