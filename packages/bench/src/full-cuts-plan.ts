/**
 * What full cuts consist of, and the genesis that pays for them. A payment spends the change of the payment
 * that was `GENERATIONS` cuts before it in the same lane. The first of each lane spend what the opening payment
 * of its payer made, which also shows the payer's key, so that all later ones can refer to it.
 */
import {
  ATOMS_PER_COIN,
  BLOCKS_PER_CUT_MAX,
  developmentGenesis,
  type Genesis,
  keyAddress,
  PAYOUT_KINDS,
  payoutId,
} from 'svc-ledger';
import type { DevKeys } from 'svc-node/dev';
import { encodeAddress, toHex } from 'svc-wasm/base';
import { type KeyPair, mlDsa65 } from 'svc-wasm/kernel';
import { hashLabel, keyHash } from 'svc-wasm/protocol';

export interface Plan {
  readonly cuts: number;
  readonly blocksPerCut: number;
  readonly paceMillis: number;
}

export interface Payer extends KeyPair {
  readonly address: string;
  readonly text: string;
}

export interface Coin {
  readonly transactionId: string;
  readonly outputIndex: number;
  readonly amount: bigint;
}

export const FULL_BLOCKS: number = BLOCKS_PER_CUT_MAX;
export const PAYMENTS_PER_BLOCK = 17;
/** What a cut registers, the next executes; half of its payments go to the mempool one cut ahead of their block. */
export const GENERATIONS = 3;
export const LANE_AMOUNT: bigint = ATOMS_PER_COIN;

/** An opening payment has room for its lanes; there are many more payers than a kernel keeps keys expanded. */
const LANES_PER_PAYER = 5;
const OPENING_FEE = 1_000_000n;
const FEE_COINS = 1_000n;
/** The network's clock starts at its genesis, so that it is not late because payments were signed meanwhile. */
const SIGNING_MILLIS_MAX = 86_400_000;

export function lanesOf({ blocksPerCut }: Plan): number {
  return blocksPerCut * PAYMENTS_PER_BLOCK;
}

export function payersOf(plan: Plan): number {
  return Math.ceil(lanesOf(plan) / LANES_PER_PAYER);
}

export function payerAt(index: number): Payer {
  const seed = new Uint8Array(32);
  new DataView(seed.buffer).setUint32(0, index + 1);
  const keys = mlDsa65.keygen(seed);
  const hash = keyHash(keys.publicKey);
  const text = encodeAddress(Uint8Array.of(0, ...hash), 'development');
  return { ...keys, address: keyAddress(toHex(hash)), text };
}

/** How many outputs the opening payment of a payer makes. */
export const OPENING_OUTPUTS: number = GENERATIONS * LANES_PER_PAYER;
const OPENING_AMOUNT: bigint = BigInt(OPENING_OUTPUTS) * LANE_AMOUNT + OPENING_FEE;

/** Which of them a lane spends first in one of the first cuts. */
export function openingOutput(plan: Plan, lane: number, cut: number): number {
  return Math.floor(lane / payersOf(plan)) * GENERATIONS + cut;
}

/** What the opening payment of a payer spends. */
export function openingCoin({ accounts, fees }: DevKeys, payer: number, chainId: string): Coin {
  const place = accounts.length + fees.length + payer;
  return {
    transactionId: payoutId({ chainId, hash: hashLabel }, 0, PAYOUT_KINDS.genesis, place),
    outputIndex: 0,
    amount: OPENING_AMOUNT,
  };
}

export function planGenesis(plan: Plan, keys: DevKeys, payers: readonly Payer[]): Genesis {
  const amount = OPENING_AMOUNT;
  const fees = keys.fees.map(({ address }) => ({ address, amount: FEE_COINS * ATOMS_PER_COIN }));
  return developmentGenesis({
    accounts: keys.accounts.map(({ address }) => address),
    validators: keys.consensus.map(({ publicKey }) => ({
      consensusPublicKey: publicKey,
      endpoint: Uint8Array.of(0),
    })),
    others: [...fees, ...payers.map(({ address }) => ({ address, amount }))],
    timeMillis: Date.now() + SIGNING_MILLIS_MAX,
    paceMillis: plan.paceMillis,
  });
}
