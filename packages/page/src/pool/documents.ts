/**
 * The answers of a pool, as far as its page shows them; `svc-pool` makes these documents.
 */
export interface PoolStatistics {
  readonly network: string;
  readonly uptime_seconds: number;
  readonly node: { readonly state: string };
  readonly hashrate: Readonly<Record<'60s', number>>;
  readonly pool: {
    readonly name: string;
    readonly address: string;
    readonly explorer: string | null;
    readonly fee_basis_points: string;
    readonly window_blocks: string;
    readonly threshold: string;
    readonly pays_out: boolean;
    readonly connections: Readonly<Record<Mode, number>>;
    readonly urls: Readonly<Record<Mode, readonly string[]>>;
    readonly rounds: number;
    readonly blocks: Readonly<Record<'found' | 'paid' | 'expired', number>>;
    readonly owed: string;
  };
}

export type Mode = 'pplns' | 'solo';

export interface PoolHistory {
  readonly step_seconds: number;
  readonly steps: readonly HistoryStep[];
}

export interface HistoryStep {
  readonly from_millis: number;
  readonly hashrate: number;
  readonly blocks: number;
  readonly expected_blocks: number;
}

export interface PoolBlocks {
  readonly blocks: readonly {
    readonly block_id: string;
    readonly anchor_height: number;
    readonly mode: string;
    readonly address: string;
    readonly worker: string;
    readonly state: string;
    readonly round: number | null;
  }[];
}

export interface PoolRounds {
  readonly rounds: readonly {
    readonly round: number;
    readonly block_id: string;
    readonly paid_height: number;
    readonly root: string;
  }[];
}

export interface PoolPayout {
  readonly payout: number;
  readonly atoms: string;
  readonly state: string;
  readonly transaction: string | null;
  readonly round: number;
}

export interface PoolPayouts {
  readonly payouts: readonly PoolPayout[];
}

export interface PoolMiner extends PoolPayouts {
  readonly address: string;
  readonly balance: string;
  readonly earned: string;
  /** Why the address is not paid; null if it is. */
  readonly held: string | null;
  readonly workers: readonly {
    readonly worker: string;
    readonly hashrate: number;
    readonly shares: string;
    readonly last_share_millis: number;
  }[];
}
