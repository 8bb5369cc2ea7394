/**
 * How much of the rate at which two workers check signatures is left when whole payments are admitted:
 * decoded, compared with the state, checked by the same two workers, written to the disk. The peer is the same
 * checks, given to the workers and nothing else. Then the selection for a template from a full mempool.
 *
 * Rounds alternate, and the time that counts is the processor's over all threads: what two busy cores would
 * do, on a machine however loaded.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { type Genesis, keyAddress, outpointKey } from 'svc-ledger';
import {
  Journal,
  PooledTransaction,
  RateOrder,
  SignatureWorkers,
  SubmittedTransaction,
  SYSTEM_RANDOM,
  selectTransactions,
  TransactionPool,
} from 'svc-node';
import { devRoot } from 'svc-node/dev';
import { ChainFixture } from 'svc-node/testing';
import type { Chain } from 'svc-serve/ports';
import { LevelStore } from 'svc-storage';
import { init } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { keyHash, type VerifyRequest } from 'svc-wasm/protocol';
import { type BenchOptions, formatTime, type Row } from './harness.ts';

const PAYMENTS = 2_000;
const ROUNDS = 30;
const LIMIT = 0.7;
/** As many submissions are under way at once as a busy listener has. */
const IN_FLIGHT = 1_024;
/** More keys than a kernel keeps expanded, so that every check does all its work. */
const PAYERS = 32;
const FEE = 200_000n;
const COINS_READ_MAX = 512;
const WAITING = 100_000;
const SELECTIONS = 200;
const SELECTION_LIMIT_NS = 2e6;
const TEMPLATE = { maxTransactions: 1_000, maxBytes: 64_000, maxMass: 200_000n };
const WIRE = new Uint8Array(5_500);
const PAYEE = keyAddress('ab'.repeat(48));

/** A chain at its genesis on a disk, whose outputs belong to the payers in turn. */
async function createChain(directory: string, outputs: number): Promise<ChainFixture> {
  const addresses = Array.from({ length: PAYERS }, (_, index) => payerAddress(index));
  const spread = (genesis: Genesis): Genesis => {
    const [first, ...others] = genesis.outputs;
    if (first === undefined) throw new Error('the genesis has no outputs');
    const amount = first.amount / BigInt(outputs + 1);
    const rest = { ...first, amount: first.amount - amount * BigInt(outputs) };
    const spent = Array.from({ length: outputs }, (_, index) => ({
      address: addresses[index % PAYERS] as string,
      amount,
    }));
    return { ...genesis, outputs: [...spent, rest, ...others] };
  };
  mkdirSync(directory, { recursive: true });
  return ChainFixture.create({ keyValues: await LevelStore.open(directory), genesis: spread });
}

function payerAddress(index: number): string {
  return keyAddress(toHex(keyHash(devRoot().derivePublicKey(0, 0, index))));
}

/** A payment of each output of the payers. */
async function payAll(chain: ChainFixture): Promise<Uint8Array[]> {
  const reader = chain.reader();
  const payments: Uint8Array[] = [];
  for (let from = 0; from < PAYERS; from++) {
    const { rows } = await reader.utxos(payerAddress(from), { limit: COINS_READ_MAX });
    for (const { outpoint, ...output } of rows) {
      const amount = output.amount / 2n;
      const outputs = [
        { address: payerAddress((from + 1) % PAYERS), amount },
        { address: output.address, amount: output.amount - amount - FEE },
      ];
      payments.push(chain.sign({ from, coins: [[outpoint, output]], outputs }));
    }
  }
  await reader.close();
  return payments;
}

function fail(error: Error): never {
  throw error;
}

function processorMillis(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3;
}

/** Processor milliseconds for the checks of all payments. */
async function checkAll(
  chain: Chain,
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
  chain: Chain,
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
  const chain = await createChain(join(directory, 'chain'), count);
  const payments = await payAll(chain);
  const { json: manifestJson } = chain.manifest;
  const workers = await SignatureWorkers.start({
    manifestJson,
    threads: 2,
    log: SILENT_LOG,
    onFatal: fail,
  });
  let [least, leastPeer] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds; round++) {
    leastPeer = Math.min(leastPeer, await checkAll(chain, workers, payments));
    const store = join(directory, `mempool-${round}`);
    least = Math.min(least, await admitAll(chain, workers, store, payments));
  }
  await workers.close();
  await chain.close();
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

function pooledAt(index: number): PooledTransaction {
  const id = index.toString(16).padStart(96, '0');
  const transaction = {
    id,
    validFromHeight: 0n,
    validUntilHeight: 100n,
    inputs: [{ transactionId: id, outputIndex: 0, inlineKeys: [] }],
    outputs: [{ address: PAYEE, amount: 1n }],
    declaredFee: null,
    operation: null,
    mass: 9_000n,
  };
  const origin = index % 3 === 0 ? 'relayed' : 'own';
  return new PooledTransaction(new SubmittedTransaction(transaction, WIRE, origin), {
    spent: [{ address: PAYEE, amount: 1n }],
    fee: index % 2 === 0 ? 90_000n : 90_000n + BigInt(index),
    receivedAtMillis: index,
  });
}

function selectionRow({ smoke, size }: BenchOptions): Row {
  const order = new RateOrder();
  const waiting = smoke ? 1_000 : WAITING;
  for (let index = 0; index < waiting; index++) order.add(pooledAt(index));
  const ports = { order, random: SYSTEM_RANDOM, height: 0, cutIntervalMillis: 2_500 };
  const times = Array.from({ length: smoke ? 2 : Math.ceil(SELECTIONS * size) }, () => {
    const start = process.hrtime.bigint();
    if (selectTransactions(ports, TEMPLATE).length < 10)
      throw new Error('the template is not full');
    return Number(process.hrtime.bigint() - start);
  }).sort((a, b) => a - b);
  const median = times[times.length >> 1] as number;
  return {
    name: `selection for a template from ${waiting} waiting transactions`,
    ours: `${formatTime(median)} median`,
    peer: `${formatTime(SELECTION_LIMIT_NS)} allowed`,
    ratio: SELECTION_LIMIT_NS / median,
    limit: 1,
  };
}
