/**
 * Makes a long chain with real payments and certificates, without proof of work, as fast as two threads can: one
 * signs, one executes.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Genesis, outpointKey } from 'svc-ledger';
import { ChecksummedStore } from 'svc-storage';
import { ChainFixture } from '../../../src/testing/chain-fixture.ts';
import type { OwnedCoin, PaymentKeys, PaymentOrder, PaymentsWish } from './payment-maker.ts';

export interface LongChainPlan {
  readonly directory: string;
  readonly cuts: number;
  readonly payments: number;
  readonly keys: PaymentKeys;
  readonly onProgress: (height: number) => void;
}

/** Each account begins with as many coins for each payment of a cut, so that coins rest between payments as people's do. */
const COINS_PER_PAYMENT = 10;
/** A genesis has about a thousand outputs at most, for ten accounts. */
const COINS_PER_ACCOUNT_MAX = 100;
const PAYMENTS_PER_BLOCK_MAX = 10;
const CUTS_PER_ORDER = 100;
const PROGRESS_MILLIS = 5_000;
const MAKER = new URL('payment-maker.ts', import.meta.url);

/** Closed when it is made; what is left is the directory, the genesis and the last cut. */
export async function makeLongChain(plan: LongChainPlan): Promise<ChainFixture> {
  const keyValues = await ChecksummedStore.open(plan.directory);
  const chain = await ChainFixture.create({
    keyValues,
    mode: 'archive',
    genesis: (genesis) => withCoins(genesis, coinsPerAccount(plan.payments)),
  });
  const maker = new Worker(MAKER, { workerData: await orderOf(chain, plan) });
  try {
    let told = performance.now();
    let next = ordered(maker, { height: 1, cuts: CUTS_PER_ORDER });
    while (chain.head.height < plan.cuts) {
      const payments = await next;
      next = ordered(maker, {
        height: chain.head.height + 1 + CUTS_PER_ORDER,
        cuts: CUTS_PER_ORDER,
      });
      for (const wires of payments) {
        if (chain.head.height === plan.cuts) break;
        await addCut(chain, wires);
        if (performance.now() < told + PROGRESS_MILLIS) continue;
        told = performance.now();
        plan.onProgress(chain.head.height);
      }
    }
    await next;
  } finally {
    await maker.terminate();
    await chain.close();
  }
  return chain;
}

/** The signatures were made here and now; checking them is left to who syncs. */
async function addCut(chain: ChainFixture, wires: readonly Uint8Array[]): Promise<void> {
  const blocks = inBlocks(wires).map((some) => chain.mine(some));
  await chain.cut(blocks);
  for (const transaction of blocks.flatMap(({ transactions }) => transactions)) {
    const spent = transaction.inputs.map(
      (input) => chain.view.get('outputs', outpointKey(input)) ?? assert.fail('a coin is missing'),
    );
    chain.transactions.accept(transaction, spent, null);
  }
  chain.cuts.splice(0, chain.cuts.length - 1);
}

/** As many payments to a block as its size allows, also if each of them names its key in full. */
function inBlocks(wires: readonly Uint8Array[]): (readonly Uint8Array[])[] {
  const count = Math.ceil(wires.length / PAYMENTS_PER_BLOCK_MAX);
  return Array.from({ length: count }, (_, place) =>
    wires.slice(place * PAYMENTS_PER_BLOCK_MAX, (place + 1) * PAYMENTS_PER_BLOCK_MAX),
  );
}

async function ordered(maker: Worker, wish: PaymentsWish): Promise<readonly Uint8Array[][]> {
  const answer = once(maker, 'message');
  maker.postMessage(wish);
  const [payments] = (await answer) as [readonly Uint8Array[][]];
  return payments;
}

function coinsPerAccount(payments: number): number {
  return Math.max(1, Math.min(COINS_PER_ACCOUNT_MAX, COINS_PER_PAYMENT * payments));
}

function withCoins(genesis: Genesis, coins: number): Genesis {
  const parts = BigInt(coins);
  const outputs = genesis.outputs.flatMap(({ address, amount }) =>
    Array.from({ length: coins }, (_, index) => ({
      address,
      amount: index === 0 ? amount - (amount / parts) * (parts - 1n) : amount / parts,
    })),
  );
  return { ...genesis, outputs };
}

async function orderOf(
  chain: ChainFixture,
  { keys, payments: perCut }: LongChainPlan,
): Promise<PaymentOrder> {
  const coins: OwnedCoin[] = [];
  const { accounts } = chain.keys;
  for (const { index } of accounts)
    for (const [outpoint, { amount }] of await chain.coins(index))
      coins.push({ outpoint, amount, account: index });
  const addresses = accounts.map(({ text }) => text);
  return { chainId: chain.chainId, addresses, coins, perCut, keys };
}
