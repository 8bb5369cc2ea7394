/**
 * A chain with one payment near its beginning and empty cuts after it, and a process of `svcd` that serves it. The rules, the store,
 * the headers and the certificate of each cut are real; one validator signs, and only proof of work is left out.
 */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { MEMORY_PARENT, temporaryDirectory } from 'svc-base/testing';
import type { Claim } from 'svc-client/evidence';
import { ChecksummedStore } from 'svc-storage';
import { ChainFixture, FIXTURE_FEE } from '../../../node/src/testing/chain-fixture.ts';
import { Cluster } from '../../../node/test/cluster/testing/cluster.ts';

/** The cut that executes the payment, the first of its epoch. */
export const PAYMENT_HEIGHT = 241;
export const NOTE = 'for the third of May';
const AMOUNT = 1_250_000_000n;
const PROGRESS_CUTS = 10_000;

export interface DeepPlan {
  readonly cuts: number;
  /** A `full` node keeps the bytes of transactions for 69,120 cuts, an `archive` for ever. */
  readonly storage: 'archive' | 'full';
  readonly onProgress?: (height: number) => void;
}

export type PaymentClaim = Extract<Claim, { kind: 'payment' }>;

export interface DeepChain {
  readonly payment: PaymentClaim;
  /** From the first cut to the last one. */
  readonly makingMillis: number;
  readonly openingMillis: number;
  readonly url: string;
  close(): Promise<void>;
}

export async function serveDeepChain(plan: DeepPlan): Promise<DeepChain> {
  const folder = temporaryDirectory(undefined, MEMORY_PARENT);
  const began = performance.now();
  const { chain, payment } = await makeDeepChain(join(folder, 'db'), plan);
  const makingMillis = performance.now() - began;
  const cluster = await Cluster.make({
    paceMillis: chain.genesis.paceMillis,
    genesis: chain.genesis,
    nodes: [{ name: 'node', storage: plan.storage }],
  });
  const node = cluster.node('node');
  const place = join(node.planned.directory, 'data', 'chain');
  mkdirSync(place, { recursive: true });
  renameSync(join(folder, 'db'), join(place, 'db'));
  const opening = performance.now();
  await node.start().catch(async (error: unknown) => {
    await cluster.close();
    throw error;
  });
  const openingMillis = performance.now() - opening;
  return { payment, makingMillis, openingMillis, url: node.http, close: () => cluster.close() };
}

async function makeDeepChain(
  directory: string,
  { cuts, storage, onProgress = () => {} }: DeepPlan,
): Promise<{ chain: ChainFixture; payment: PaymentClaim }> {
  const keyValues = await ChecksummedStore.open(directory);
  const chain = await ChainFixture.create({ keyValues, mode: storage });
  await chain.runTo(PAYMENT_HEIGHT - 2);
  const wire = await paymentOf(chain);
  await chain.cut([chain.mine([wire])]);
  const { result } = await chain.cut();
  const [outcome] = result.events.outcomes;
  assert.deepEqual([chain.head.height, outcome?.kind], [PAYMENT_HEIGHT, 'finalized']);
  while (chain.head.height < cuts) {
    await chain.cut();
    chain.cuts.splice(0, chain.cuts.length - 1);
    if (chain.head.height % PROGRESS_CUTS === 0) onProgress(chain.head.height);
  }
  await chain.close();
  const transactionId = chain.transactions.decode(wire).id;
  const payment = {
    kind: 'payment',
    transactionId,
    to: chain.text(1),
    amount: `${AMOUNT}`,
  } as const;
  return { chain, payment };
}

/** From the first account to the second, with a note and change. */
async function paymentOf(chain: ChainFixture): Promise<Uint8Array> {
  const [coin] = await chain.coins(0);
  assert.ok(coin !== undefined);
  const change = coin[1].amount - AMOUNT - FIXTURE_FEE;
  return chain.sign({
    from: 0,
    coins: [coin],
    outputs: [
      { address: chain.address(1), amount: AMOUNT },
      { address: chain.address(0), amount: change },
    ],
    payload: new TextEncoder().encode(NOTE),
  });
}
