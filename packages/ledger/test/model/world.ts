/**
 * The reference model's world: plain lists that are searched from end to end. It shares no rule with
 * the ledger and is written for being obviously right, not for speed. What the ledger keeps in running
 * totals is added up here at each read.
 */

import type { ExecutableTransaction } from '../../src/transaction.ts';
import type { Signers } from '../testing/test-signatures.ts';

export interface Coin {
  readonly key: string;
  readonly owner: string;
  readonly amount: bigint;
}

export interface Leaving {
  amount: bigint;
  readonly since: number;
}

export interface Stake {
  readonly id: string;
  readonly validator: string;
  readonly owner: string;
  reward: string;
  readonly own: boolean;
  bonded: bigint;
  leaving: Leaving[];
}

export interface Validator {
  readonly id: string;
  readonly owner: string;
  readonly own: string;
  readonly firstEpoch: number;
  readonly registered: number;
  /** Consensus keys with the epoch from which each signs. */
  readonly keys: { readonly hash: string; readonly from: number }[];
  readonly endpoints: { readonly length: number; readonly from: number }[];
  readonly commissions: { readonly bps: number; readonly from: number }[];
  readonly heartbeats: number[];
  readonly jailedIn: number[];
  leftAt: number | null;
  punished: boolean;
}

export interface Block {
  readonly id: string;
  readonly anchor: number;
  readonly payout: string;
  readonly body: string;
  readonly registeredAt: number;
  fees: bigint;
}

/** A copy of the stake at the beginning of an epoch. */
export interface Standing {
  readonly epoch: number;
  readonly stakes: readonly {
    readonly id: string;
    readonly validator: string;
    readonly own: boolean;
    readonly bonded: bigint;
  }[];
  readonly committee: readonly {
    readonly id: string;
    readonly stake: bigint;
    readonly bps: number;
    readonly shares: boolean;
  }[];
}

export interface Carried {
  readonly block: string;
  readonly transaction: ExecutableTransaction;
}

export class World {
  readonly interval: number;
  readonly chainId: string;
  height = 0;
  coins: Coin[] = [];
  readonly spent: { readonly key: string; readonly by: string; readonly at: number }[] = [];
  stakes: Stake[] = [];
  validators: Validator[] = [];
  readonly blocks: Block[] = [];
  readonly keys = new Set<string>();
  readonly standings: Standing[] = [];
  /** Signers, by height of the cut that names them. */
  readonly signed: { readonly at: number; readonly who: readonly string[] }[] = [];
  readonly signersOf = new Map<string, Signers>();
  /** Every movement of value, for sums. */
  readonly burned: bigint[] = [];
  readonly workIn: bigint[] = [];
  readonly workOut: bigint[] = [];
  readonly stakeIn: { readonly at: number; readonly amount: bigint }[] = [];
  readonly stakeOut: bigint[] = [];
  workWaiting = 0n;
  /** What earlier pools left for the pool of an epoch. */
  poolLeft = 0n;
  poolSince = 0;

  constructor(interval: number, chainId: string) {
    this.interval = interval;
    this.chainId = chainId;
  }

  get epoch(): number {
    return Math.ceil(this.height / this.interval) - 1;
  }

  get standing(): Standing {
    const last = this.standings.at(-1);
    if (last === undefined) throw new Error('no epoch has begun');
    return last;
  }

  validator(id: string): Validator | undefined {
    return this.validators.find((validator) => validator.id === id);
  }

  stake(id: string): Stake | undefined {
    return this.stakes.find((stake) => stake.id === id);
  }

  stakeOf(id: string): bigint {
    return sum(this.stakes.filter(({ validator }) => validator === id).map(({ bonded }) => bonded));
  }

  /** Emission of a whole epoch, from the beginning of time. */
  emissionOf(epoch: number): bigint {
    let toCome = 18_000_000_000_000_000n;
    let rest = 0n;
    for (let day = 0; ; day++) {
      const thousandths = toCome * 3n + rest;
      const issued = thousandths / 1_000n;
      if (day === epoch) return issued;
      rest = thousandths % 1_000n;
      toCome -= issued;
    }
  }

  get minted(): bigint {
    const whole = Array.from({ length: Math.floor(this.height / this.interval) }, (_, epoch) =>
      this.emissionOf(epoch),
    );
    const part = this.height % this.interval;
    const begun = (this.emissionOf(whole.length) * BigInt(part)) / BigInt(this.interval);
    return 2_000_000_000_000_000n + sum(whole) + begun;
  }
}

export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
