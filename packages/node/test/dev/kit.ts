/**
 * A development network for tests, spoken to over HTTP and sockets as any program would.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import type { TestContext } from 'node:test';
import type { TransactionStatus } from 'svc-api';
import { SILENT_LOG } from 'svc-base/pure';
import { MEMORY_PARENT, temporaryDirectory } from 'svc-base/testing';
import { LightPow } from 'svc-mining/pow';
import { readAtHead } from 'svc-storage';
import { WebSocket } from 'ws';
import type { DevOptions } from '../../src/dev/dev-config.ts';
import { type DevNetwork, startDevNetwork } from '../../src/dev/index.ts';
import { NodeMetrics } from '../../src/metrics/node-metrics.ts';
import { makeBlock } from '../../src/testing/fixture-block.ts';
import { type Coin, signDraft } from '../../src/testing/fixture-wallet.ts';

const OPTIONS: DevOptions = {
  cutTime: 'auto',
  validators: 4,
  port: 0,
  stateDir: null,
  wallet: false,
  miner: true,
  browserOrigins: [],
};

export const VERSION = '0.0.0-test';

function startNetwork(options: Partial<DevOptions>, metrics: NodeMetrics): Promise<DevNetwork> {
  return startDevNetwork(
    { ...OPTIONS, ...options },
    {
      log: SILENT_LOG,
      metrics,
      version: VERSION,
      onFatal: (error) => {
        throw error;
      },
    },
  );
}

export interface Payment {
  /** Accounts of the network. */
  readonly from: number;
  readonly to: number;
  readonly amount: bigint;
  readonly fee?: bigint;
  readonly validFrom?: number;
  readonly validUntil?: number;
  readonly coins?: readonly Coin[];
  readonly operation?: { readonly type: string; readonly data: Readonly<Record<string, string>> };
}

export interface Answered<T> {
  readonly status: number;
  readonly body: T;
}

const FEE = 1_000_000n;
const MINER_ACCOUNT = 9;
const VALID_CUTS = 100;
const SEARCH_NONCES = 10_000;
const BACK_TRIES = 600;

export class Caller {
  readonly network: DevNetwork;
  readonly metrics: NodeMetrics;
  readonly #directory: string;
  #serial = 0;

  static async start(options: Partial<DevOptions> = {}): Promise<Caller> {
    const directory = temporaryDirectory(undefined, MEMORY_PARENT);
    const metrics = new NodeMetrics({ version: VERSION, network: 'development', validator: true });
    const network = await startNetwork({ stateDir: directory, ...options }, metrics);
    return new Caller(network, metrics, directory);
  }

  private constructor(network: DevNetwork, metrics: NodeMetrics, directory: string) {
    this.network = network;
    this.metrics = metrics;
    this.#directory = directory;
  }

  async close(): Promise<void> {
    await this.network.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get height(): number {
    return this.network.node.composed.core.chain.head.height;
  }

  get base(): string {
    const { host, port } = this.network.facts.http;
    return `http://${host}:${port}`;
  }

  async get<T>(path: string): Promise<Answered<T>> {
    const answer = await fetch(`${this.base}${path}`);
    return { status: answer.status, body: (await answer.json()) as T };
  }

  async post<T>(path: string, body: object): Promise<Answered<T>> {
    const answer = await fetch(`${this.base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_version: 1, ...body }),
    });
    return { status: answer.status, body: (await answer.json()) as T };
  }

  /** Waits until the network has come back from a snapshot or a revert. */
  async backAt(starts: number): Promise<void> {
    for (let tries = 0; tries < BACK_TRIES; tries++) {
      const found = await this.get<{ starts: number }>('/v1/dev').catch(() => undefined);
      if (found?.body.starts === starts) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail('the network did not come back');
  }

  accountText(account: number): string {
    return this.network.facts.accounts[account]?.address ?? assert.fail('no such account');
  }

  async coinsOf(account: number): Promise<Coin[]> {
    const { chain } = this.network.node.composed.core;
    const address = chain.genesis.outputs[account]?.address as string;
    // Cuts go on meanwhile.
    const { rows } = await readAtHead(chain, (reader) => reader.utxos(address, { limit: 100 }));
    return rows.map(({ outpoint, ...rest }): Coin => [outpoint, rest]);
  }

  /** Lists come in the order of hashes: the first coin may be a small one that another test paid. */
  async #largestCoinOf(account: number): Promise<Coin> {
    const [largest] = (await this.coinsOf(account)).toSorted(([, a], [, b]) =>
      a.amount > b.amount ? -1 : 1,
    );
    return largest ?? assert.fail(`account ${account} has no coin`);
  }

  /** Signs a payment that gives back what it does not pay. */
  async sign(payment: Payment): Promise<Uint8Array> {
    const { chain } = this.network.node.composed.core;
    const { from, to, amount, fee = FEE, operation } = payment;
    const coins = payment.coins ?? [await this.#largestCoinOf(from)];
    const sum = coins.reduce((total, [, coin]) => total + coin.amount, 0n);
    const bonded = operation === undefined ? 0n : BigInt(operation.data['amount'] ?? 0);
    const addressOf = (account: number) => chain.genesis.outputs[account]?.address as string;
    const validFrom = payment.validFrom ?? chain.head.height;
    const change = sum - amount - fee - bonded;
    const outputs = [
      { address: addressOf(to), amount },
      { address: addressOf(from), amount: change },
    ];
    const draft = {
      from,
      coins,
      outputs: outputs.filter((output) => output.amount > 0n),
      validFrom,
      validUntil: payment.validUntil ?? validFrom + VALID_CUTS,
    };
    const all = operation === undefined ? draft : { ...draft, operation };
    return signDraft(all, chain.manifest);
  }

  submit(wire: Uint8Array): Promise<Answered<{ transaction_id: string; result: string }>> {
    return this.post('/v1/transactions', { wire_hex: Buffer.from(wire).toString('hex') });
  }

  async pay(payment: Payment): Promise<string> {
    const { status, body } = await this.submit(await this.sign(payment));
    assert.equal(status, 200, JSON.stringify(body));
    return body.transaction_id;
  }

  /** Mines a block that carries these transactions, whatever the mempool thinks of them; its id. */
  async mineBlock(wires: readonly Uint8Array[], payout = MINER_ACCOUNT): Promise<string> {
    const { core } = this.network.node.composed;
    const { chain, periods } = core;
    const { bytes } = makeBlock({
      view: chain.view,
      head: chain.head,
      manifest: chain.manifest,
      payout: chain.genesis.outputs[payout]?.address as string,
      tag: 'test',
      serial: ++this.#serial,
      wires,
      transactions: wires.map((wire) => chain.transactions.decode(wire)),
      receivedAtMillis: 0,
    });
    const searcher = new LightPow(periods);
    const { nonce } = await searcher.search(bytes.header, 0n, SEARCH_NONCES);
    await searcher.close();
    assert.ok(nonce !== null, 'no nonce was found');
    const header = bytes.header.slice();
    header.set(nonce, header.length - nonce.length);
    const { host, port } = this.network.facts.mining;
    const answer = await fetch(`http://${host}:${port}/v1/mining/candidates`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        header_hex: Buffer.from(header).toString('hex'),
        body_hex: Buffer.from(bytes.body).toString('hex'),
      }),
    });
    const body = (await answer.json()) as { result: string; block_id: string };
    assert.equal(body.result, 'accepted', JSON.stringify(body));
    return body.block_id;
  }

  async balanceOf(account: number): Promise<bigint> {
    const path = `/v1/address/${this.accountText(account)}/balance`;
    return BigInt((await this.get<{ balance: string }>(path)).body.balance);
  }

  async statusOf(id: string): Promise<TransactionStatus> {
    return (await this.get<TransactionStatus>(`/v1/transactions/${id}/status`)).body;
  }

  idOf(wire: Uint8Array): string {
    return this.network.node.composed.core.chain.transactions.decode(wire).id;
  }

  /** The status of a transaction after as many cuts as it takes to decide it. */
  async minedStatus(id: string): Promise<TransactionStatus> {
    let status = await this.statusOf(id);
    for (let cuts = 0; !isDecided(status) && cuts < VALID_CUTS; cuts++) {
      await this.network.mine(1);
      status = await this.statusOf(id);
    }
    return status;
  }

  /** Every status that the stream tells of, to its end. */
  watch(id: string): Promise<TransactionStatus[]> {
    const url = `${this.base.replace('http', 'ws')}/v1/transactions/${id}/status/stream`;
    const socket = new WebSocket(url, 'svc.transaction-status.v1');
    const seen: TransactionStatus[] = [];
    return new Promise((resolve, reject) => {
      socket.on('message', (text) => seen.push(JSON.parse((text as Buffer).toString('utf8')).data));
      socket.on('close', () => resolve(seen));
      socket.on('error', reject);
    });
  }
}

function isDecided({ lifecycle }: TransactionStatus): boolean {
  return lifecycle === 'finalized' || lifecycle === 'failed';
}

/** A network for all tests of a file, ended with them. */
export async function callNetwork(
  t: Pick<TestContext, 'after'>,
  options: Partial<DevOptions> = {},
): Promise<Caller> {
  const caller = await Caller.start(options);
  t.after(() => caller.close());
  return caller;
}
