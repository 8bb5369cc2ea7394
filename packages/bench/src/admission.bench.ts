/**
 * How much of the rate at which two threads verify signatures is left when whole payments are admitted:
 * decoded, held against the state, verified by two workers and written to the disk. Then the selection for a
 * template from a full mempool. Rounds alternate, and the time that counts is the processor's over all threads:
 * the share of two busy cores that is left for signatures, however busy the machine is with others.
 */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { SILENT, SignatureWorkers, SYSTEM_CLOCK, TransactionPool } from 'svc-node';
import { LevelStore } from 'svc-storage';
import { init } from 'svc-wasm';
import { AdmissionFixture, type SignedPayment } from './admission-fixture.ts';
import { type BenchOptions, formatTime, type Row } from './harness.ts';
import { selectionRow } from './selection.ts';

const PAYMENTS = 4_000;
const ROUNDS = 6;
const LIMIT = 0.7;
/** As many submissions are under way at once as a busy listener has. */
const IN_FLIGHT = 512;

function fail(error: Error): never {
  throw error;
}

function processorMillis(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3;
}

class RawVerifiers {
  readonly #workers: readonly Worker[];
  readonly ready: Promise<unknown>;

  constructor(payments: readonly SignedPayment[]) {
    const half = payments.length >> 1;
    this.#workers = [payments.slice(0, half), payments.slice(half)].map(
      (workerData) =>
        new Worker(new URL('./raw-verification-worker.ts', import.meta.url), { workerData }),
    );
    this.ready = Promise.all(this.#workers.map((worker) => once(worker, 'message')));
  }

  /** Processor milliseconds for all payments. */
  async run(): Promise<number> {
    const before = process.cpuUsage();
    const done = this.#workers.map((worker) => once(worker, 'message'));
    for (const worker of this.#workers) worker.postMessage('run');
    await Promise.all(done);
    return processorMillis(before);
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

async function admitAll(
  { chain }: AdmissionFixture,
  workers: SignatureWorkers,
  directory: string,
  payments: readonly SignedPayment[],
): Promise<number> {
  mkdirSync(directory);
  const store = await LevelStore.open(directory);
  const pool = await TransactionPool.open({
    chain,
    workers,
    store,
    clock: SYSTEM_CLOCK,
    log: SILENT,
    onFatal: fail,
  });
  let next = 0;
  const submitter = async (): Promise<void> => {
    while (next < payments.length) {
      const { wire } = payments[next++] as SignedPayment;
      const admission = await pool.submit(wire, 'own');
      if (admission.type !== 'accepted') throw new Error(JSON.stringify(admission));
    }
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: IN_FLIGHT }, submitter));
  const elapsed = processorMillis(before);
  await pool.close();
  rmSync(directory, { recursive: true });
  return elapsed;
}

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  const count = options.smoke ? 40 : PAYMENTS;
  const rounds = options.smoke ? 1 : Math.ceil(ROUNDS * options.size);
  const directory = mkdtempSync(join(tmpdir(), 'svc-admission-'));
  const fixture = await AdmissionFixture.create(join(directory, 'chain'), count);
  const payments = Array.from({ length: count }, (_, index) => fixture.payment(index));
  const raw = new RawVerifiers(payments);
  const { json: manifestJson } = fixture.chain.manifest;
  const workers = await SignatureWorkers.start({
    manifestJson,
    threads: 2,
    log: SILENT,
    onFatal: fail,
  });
  await raw.ready;
  let [least, leastRaw] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds; round++) {
    leastRaw = Math.min(leastRaw, await raw.run());
    const store = join(directory, `mempool-${round}`);
    least = Math.min(least, await admitAll(fixture, workers, store, payments));
  }
  await raw.close();
  await workers.close();
  await fixture.close();
  rmSync(directory, { recursive: true });
  const each = (millis: number) => formatTime((1e6 * millis) / count);
  const rate = (millis: number) => `${Math.round((2e3 * count) / millis)} a second on two cores`;
  return [
    {
      name: 'fresh payments admitted, two workers',
      ours: `${each(least)}, ${rate(least)} (admitted and on the disk)`,
      peer: `${each(leastRaw)}, ${rate(leastRaw)} (signatures verified, nothing else)`,
      ratio: leastRaw / least,
      limit: LIMIT,
    },
    selectionRow(options),
  ];
}
