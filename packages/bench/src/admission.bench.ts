/**
 * How much of the rate at which two workers check signatures is left when whole payments are admitted:
 * decoded, held against the state, checked by the same two workers, written to the disk. The peer is the same
 * checks, given to the workers and nothing else. Then the selection for a template from a full mempool.
 *
 * Rounds alternate, and the time that counts is the processor's over all threads: what two busy cores would
 * do, however busy the machine is with others.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { outpointKey } from 'svc-ledger';
import { type Chain, Journal, SignatureWorkers, TransactionPool } from 'svc-node';
import { init } from 'svc-wasm';
import type { VerifyRequest } from 'svc-wasm/protocol';
import { AdmissionFixture } from './admission-fixture.ts';
import { type BenchOptions, formatTime, type Row } from './harness.ts';
import { selectionRow } from './selection.ts';

const PAYMENTS = 2_000;
const ROUNDS = 30;
const LIMIT = 0.7;
/** As many submissions are under way at once as a busy listener has. */
const IN_FLIGHT = 1_024;

function fail(error: Error): never {
  throw error;
}

function processorMillis(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3;
}

/** Processor milliseconds for the checks of all payments. */
async function checkAll(
  { chain }: AdmissionFixture,
  workers: SignatureWorkers,
  payments: readonly Uint8Array[],
): Promise<number> {
  const requests = payments.map((wire) => requestOf(chain, wire));
  const before = process.cpuUsage();
  const refusals = await Promise.all(
    requests.map((request) => workers.checkTransaction(request, 'submission')),
  );
  if (refusals.some((refusal) => refusal !== null)) throw new Error('a payment was refused');
  return processorMillis(before);
}

function requestOf(chain: Chain, wire: Uint8Array): VerifyRequest {
  const transaction = chain.transactions.decode(wire);
  const spent = transaction.inputs.map((input) => chain.view.get('outputs', outpointKey(input)));
  const found = spent.filter((output) => output !== undefined);
  const request = chain.transactions.requestFor(transaction, found, null, () => undefined);
  if (request === undefined) throw new Error('a payment refers to a key');
  return request;
}

async function admitAll(
  { chain }: AdmissionFixture,
  workers: SignatureWorkers,
  directory: string,
  payments: readonly Uint8Array[],
): Promise<number> {
  mkdirSync(directory);
  const store = await Journal.open(directory);
  const pool = await TransactionPool.open({
    chain,
    workers,
    store,
    clock: SYSTEM_CLOCK,
    log: SILENT_LOG,
    onFatal: fail,
  });
  let next = 0;
  const submitter = async (): Promise<void> => {
    while (next < payments.length) {
      const admission = await pool.submit(payments[next++] as Uint8Array, 'own');
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
  const { json: manifestJson } = fixture.chain.manifest;
  const workers = await SignatureWorkers.start({
    manifestJson,
    threads: 2,
    log: SILENT_LOG,
    onFatal: fail,
  });
  let [least, leastPeer] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds; round++) {
    leastPeer = Math.min(leastPeer, await checkAll(fixture, workers, payments));
    const store = join(directory, `mempool-${round}`);
    least = Math.min(least, await admitAll(fixture, workers, store, payments));
  }
  await workers.close();
  await fixture.close();
  rmSync(directory, { recursive: true });
  const each = (millis: number) => formatTime((1e6 * millis) / count);
  const rate = (millis: number) => `${Math.round((2e3 * count) / millis)} a second on two cores`;
  return [
    {
      name: 'fresh payments admitted, two workers',
      ours: `${each(least)}, ${rate(least)} (admitted and on the disk)`,
      peer: `${each(leastPeer)}, ${rate(leastPeer)} (signatures checked, nothing else)`,
      ratio: leastPeer / least,
      limit: LIMIT,
    },
    selectionRow(options),
  ];
}
