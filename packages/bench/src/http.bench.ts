/**
 * The HTTP API under load, by the processor time of the thread that serves. Balance reads stand beside a bare
 * `node:http` server that sends the same bytes from memory: addresses that are asked for again at one height, and
 * addresses that were not asked for before, which have to be read from the store.
 * A batch of 64 stands beside 64 single reads, a signed read beside a bare server that signs.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { BenchOptions, Row } from './harness.ts';
import { runLoad } from './http-load.ts';
import type { HttpOrder, HttpReady, HttpTask } from './http-worker.ts';

/** In each round as many that were not requested before. */
const ADDRESSES_PER_ROUND = 15_000;
const SMOKE_ADDRESSES = 500;
const CONNECTIONS = 32;
const ROUNDS = 4;
const BATCHES = 2_000;
/** Within the burst that one client may have signed. */
const SIGNED = 190;
const WARM_SIGNED = 600;
/** The least share of the requests that a bare server answers in the same processor time. */
const SHARE_OF_BARE_MIN = 0.7;
const FIRST_SHARE_OF_BARE_MIN = 0.4;
/** How many times cheaper an address is in a batch than alone. */
const BATCH_GAIN_MIN = 4;
const SIGNED_SHARE_OF_BARE_MIN = 0.7;

class Subject {
  readonly ready: HttpReady;
  readonly #worker: Worker;

  private constructor(worker: Worker, ready: HttpReady) {
    this.#worker = worker;
    this.ready = ready;
  }

  static async start(workerData: HttpTask): Promise<Subject> {
    const worker = new Worker(new URL('./http-worker.ts', import.meta.url), { workerData });
    const [ready] = (await once(worker, 'message')) as [HttpReady];
    return new Subject(worker, ready);
  }

  /** Microseconds of processor time for one answer. */
  async cost(port: number, requests: readonly Buffer[], count: number): Promise<number> {
    const before = await this.order('processor');
    await runLoad({ port, requests, connections: Math.min(CONNECTIONS, count), count });
    return ((await this.order('processor')) - before) / count;
  }

  async order(order: HttpOrder): Promise<number> {
    this.#worker.postMessage(order);
    const [answer] = (await once(this.#worker, 'message')) as [number];
    return answer;
  }

  async close(): Promise<void> {
    const ended = once(this.#worker, 'exit');
    this.#worker.postMessage('close');
    await ended;
  }
}

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-http-bench-'));
  const addresses = options.smoke ? SMOKE_ADDRESSES : ROUNDS * ADDRESSES_PER_ROUND;
  const subject = await Subject.start({ directory: join(directory, 'chain'), addresses });
  try {
    return await rowsOf(subject, options);
  } finally {
    await subject.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

type Costs = Record<'first' | 'again' | 'bare' | 'batch', number>;

async function rowsOf(subject: Subject, options: BenchOptions): Promise<Row[]> {
  const { oursPort, barePort, addresses } = subject.ready;
  const rounds = options.smoke ? 1 : ROUNDS;
  const perRound = addresses.length / rounds;
  const reads = addresses.map((address) => get(`/v1/address/${address}/balance`));
  const batches = batchesOf(addresses);
  const batchCount = options.smoke ? 10 : BATCHES;
  const least: Costs = {
    first: Infinity,
    again: Infinity,
    bare: Infinity,
    batch: Infinity,
  };
  for (let round = 0; round < rounds; round++) {
    const some = reads.slice(round * perRound, (round + 1) * perRound);
    const note = async (name: keyof Costs, port: number): Promise<void> => {
      least[name] = Math.min(least[name], await subject.cost(port, some, some.length));
    };
    await note('first', oursPort);
    await note('again', oursPort);
    await note('bare', barePort);
    least.batch = Math.min(least.batch, await subject.cost(oursPort, batches, batchCount));
  }
  return [...readRows(least), await signedRow(subject, reads, options)];
}

function readRows(least: Costs): Row[] {
  const read = (name: string, cost: number, when: string, limit: number): Row => ({
    name,
    ours: `${cost.toFixed(1)} us of processor time, ${when}`,
    peer: `${least.bare.toFixed(1)} us (node:http with the same bytes)`,
    ratio: least.bare / cost,
    limit,
  });
  return [
    read('http-balance', least.again, 'asked for again', SHARE_OF_BARE_MIN),
    read('http-balance-first', least.first, 'never asked for before', FIRST_SHARE_OF_BARE_MIN),
    {
      name: 'http-balances-64',
      ours: `${least.batch.toFixed(1)} us for 64 addresses`,
      peer: `${(64 * least.first).toFixed(1)} us (64 single reads)`,
      ratio: (64 * least.first) / least.batch,
      limit: BATCH_GAIN_MIN,
    },
  ];
}

async function signedRow(
  subject: Subject,
  reads: readonly Buffer[],
  options: BenchOptions,
): Promise<Row> {
  const { oursPort, barePort } = subject.ready;
  const count = options.smoke ? 4 : SIGNED;
  const requests = reads.map(withNonce);
  const bare = await subject.cost(barePort, requests, options.smoke ? 4 : WARM_SIGNED);
  const signed = await subject.cost(oursPort, requests, count);
  const beside = Math.min(bare, await subject.cost(barePort, requests, count));
  return {
    name: 'http-signed',
    ours: `${signed.toFixed(1)} us for a signed read`,
    peer: `${beside.toFixed(1)} us (node:http that signs the same bytes)`,
    ratio: beside / signed,
    limit: SIGNED_SHARE_OF_BARE_MIN,
  };
}

const HEADERS = 'host: 127.0.0.1\r\nuser-agent: bench\r\naccept: */*\r\n';

function get(target: string): Buffer {
  return Buffer.from(`GET ${target} HTTP/1.1\r\n${HEADERS}\r\n`);
}

function withNonce(request: Buffer): Buffer {
  const head = request.toString('latin1').slice(0, -2);
  return Buffer.from(`${head}x-svc-request-nonce: ${'5a'.repeat(32)}\r\n\r\n`);
}

function batchesOf(addresses: readonly string[]): Buffer[] {
  const batches: Buffer[] = [];
  for (let first = 0; first + 64 <= addresses.length; first += 64) {
    const body = JSON.stringify({ api_version: 1, addresses: addresses.slice(first, first + 64) });
    const head = `POST /v1/address/balances HTTP/1.1\r\n${HEADERS}content-type: application/json\r\n`;
    batches.push(Buffer.from(`${head}content-length: ${body.length}\r\n\r\n${body}`));
  }
  return batches;
}
