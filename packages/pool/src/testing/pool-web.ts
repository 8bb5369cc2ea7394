/**
 * The web listener of a pool without a node and miners, for tests: what it shows was written into its books, which are
 * in memory.
 */
import assert from 'node:assert/strict';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock } from 'svc-base/testing';
import { Statistics, WorkSource } from 'svc-mining/server';
import { init } from 'svc-wasm';
import { openBooks } from '../books/books.ts';
import { BookReader } from '../books/read-books.ts';
import { ShareWriter } from '../books/share-writer.ts';
import { type AcceptedShare, writeShares } from '../books/write-shares.ts';
import { openDatabase } from '../database/open-database.ts';
import { PoolReport } from '../web/pool-report.ts';
import { serveWeb } from '../web/web-server.ts';

export interface PoolWeb {
  readonly url: string;
  readonly report: PoolReport;
  /** Does not advance; its time is a whole number of hours. */
  readonly clock: ManualClock;
  write(shares: readonly AcceptedShare[]): Promise<void>;
  close(): Promise<void>;
}

/** An address of the development network in length and letters. */
export const MINER_ADDRESS: string = `dsvc1${'q'.repeat(80)}`;
const HOUR_MILLIS = 3_600_000;
const STEPS_HOUR = 6;

export async function openPoolWeb(explorer: string | null = null): Promise<PoolWeb> {
  await init();
  const clock = new ManualClock();
  const database = await openDatabase(':memory:', assert.fail);
  await openBooks(database, { chainId: 'ab', poolAddress: MINER_ADDRESS, height: 0 });
  const report = new PoolReport(
    {
      books: new BookReader(database),
      servers: { pplns: undefined, solo: undefined },
      source: new WorkSource({ clock, log: SILENT_LOG }, { nodes: [] }),
      statistics: new Statistics(clock),
      writer: new ShareWriter({ database, clock, onFatal: assert.fail }),
      payer: undefined,
      clock,
    },
    {
      release: '0.1.0',
      network: 'development',
      name: 'pool',
      poolAddress: MINER_ADDRESS,
      feeBasisPoints: 0n,
      windowBlocks: 1n,
      threshold: 1n,
      urls: { pplns: ['svc+tcp://127.0.0.1:28781'], solo: [] },
      explorer,
    },
  );
  const bind = { host: '127.0.0.1', port: 0 };
  const web = await serveWeb({ report, log: SILENT_LOG }, { bind, hasMetrics: true });
  return {
    url: `http://127.0.0.1:${web.port}`,
    report,
    clock,
    write: (shares) => database.transaction((sql) => writeShares(sql, shares)),
    close: async () => {
      await web.close();
      await database.close();
    },
  };
}

/**
 * Shares of the day before a time, one in each ten minutes: work rises from hour to hour, and every second hour has a
 * block where one and a half were to be expected at the end of the day.
 */
export function sharesOfDay(endMillis: number, worker = 'rig'): AcceptedShare[] {
  return Array.from({ length: 24 * STEPS_HOUR }, (_, at) => {
    const hour = Math.floor(at / STEPS_HOUR);
    const block = {
      blockId: String(at).padStart(96, '0'),
      anchorHeight: at,
      expiresHeight: at + 96,
      windowWork: 1n,
    };
    return {
      mode: 'pplns',
      address: MINER_ADDRESS,
      worker,
      work: 600_000n * BigInt(hour + 1),
      blockWork: 57_600_000n,
      height: at,
      timeMillis: endMillis - 24 * HOUR_MILLIS + (at * HOUR_MILLIS) / STEPS_HOUR,
      ...(at % (2 * STEPS_HOUR) === 0 ? { block } : {}),
    };
  });
}
