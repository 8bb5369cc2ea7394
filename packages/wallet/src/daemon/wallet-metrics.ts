/**
 * The figures of the daemon as metrics; every name begins with `svc_wallet_`. Amounts are in atoms, as numbers: exact up to
 * ninety million coins, which is enough for charts and alerts.
 */

import { METHOD_LIST, RPC_ERRORS, type RpcErrorKind } from 'svc-api/rpc';
import { Histogram, type Metric, type Sample } from 'svc-base/pure';
import type { Outcome } from '../state/journal.ts';
import { VERSION } from '../version.ts';
import type { Wallet } from '../wallet.ts';
import type { AccessControl, Grants } from './access.ts';
import type { Webhook } from './webhook.ts';

export interface WalletMetricsPorts {
  readonly wallet: Wallet;
  readonly meter: CallMeter;
  readonly access: Pick<AccessControl, 'wrongTokens'>;
  readonly grants: Grants;
  readonly webhook: Pick<Webhook, 'delivered' | 'failed' | 'waiting'> | null;
}

const DAY_MILLIS = 86_400_000;
const OUTCOMES: readonly Outcome[] = ['finalized', 'conflict', 'expired'];

interface WalletMetric extends Omit<Metric, 'samples'> {
  readonly samples: (ports: WalletMetricsPorts) => readonly Sample[];
}

const one = (read: (wallet: Wallet) => number | bigint | boolean): WalletMetric['samples'] => {
  return ({ wallet }) => [{ value: Number(read(wallet)) }];
};

const WALLET_METRICS: readonly WalletMetric[] = [
  {
    name: 'svc_wallet_info',
    type: 'gauge',
    help: 'The release that runs and its network, as labels.',
    samples: ({ wallet }) => [{ labels: { version: VERSION, network: wallet.network }, value: 1 }],
  },
  {
    name: 'svc_wallet_uptime_seconds',
    type: 'gauge',
    help: 'Seconds since the start.',
    samples: one(({ uptimeSeconds }) => uptimeSeconds),
  },
  {
    name: 'svc_wallet_node_reachable',
    type: 'gauge',
    help: 'Whether the node answers.',
    samples: one(({ node }) => node.sync !== undefined),
  },
  {
    name: 'svc_wallet_node_synced',
    type: 'gauge',
    help: 'Whether the node has caught up with its network.',
    samples: one(({ node }) => node.sync?.synced ?? false),
  },
  {
    name: 'svc_wallet_node_height',
    type: 'gauge',
    help: 'The newest cut of the node.',
    samples: one(({ node }) => node.height),
  },
  {
    name: 'svc_wallet_indexed_height',
    type: 'gauge',
    help: 'The cut up to which the wallet has read the chain.',
    samples: one(({ scanner }) => scanner.indexedHeight),
  },
  {
    name: 'svc_wallet_contradiction',
    type: 'gauge',
    help: 'Whether the node serves another history than the one that was followed: nothing is paid or credited.',
    samples: one(({ history }) => history.contradiction !== null),
  },
  {
    name: 'svc_wallet_recovering',
    type: 'gauge',
    help: 'Whether a restored state has not caught up yet: nothing is paid.',
    samples: one(({ state }) => state.meta.get('recovering') !== undefined),
  },
  {
    name: 'svc_wallet_balance_atoms',
    type: 'gauge',
    help: 'What the wallet holds.',
    samples: one(({ state }) => state.outputs.totals().balance),
  },
  {
    name: 'svc_wallet_reserved_atoms',
    type: 'gauge',
    help: 'What open transactions hold of it.',
    samples: one(({ state }) => state.outputs.totals().reserved),
  },
  {
    name: 'svc_wallet_outputs',
    type: 'gauge',
    help: 'Outputs that the wallet holds.',
    samples: one(({ state }) => state.outputs.totals().outputCount),
  },
  {
    name: 'svc_wallet_unpaid_addresses',
    type: 'gauge',
    help: 'Addresses that were given out after the last one that was paid.',
    samples: one(({ state }) => state.addresses.unpaid(0)),
  },
  {
    name: 'svc_wallet_gap',
    type: 'gauge',
    help: 'Addresses that a restored wallet looks at beyond the last one paid.',
    samples: one(({ gap }) => gap),
  },
  {
    name: 'svc_wallet_float_wanted',
    type: 'gauge',
    help: 'Outputs that the float should have; 0 without one.',
    samples: one(({ float }) => float?.count ?? 0),
  },
  {
    name: 'svc_wallet_float_free',
    type: 'gauge',
    help: 'Outputs of the float that can pay now.',
    samples: one(({ float, state }) =>
      float === null ? 0 : state.outputs.countFree(float.amount, float.count),
    ),
  },
  {
    name: 'svc_wallet_open_transactions',
    type: 'gauge',
    help: 'Transactions whose outcome is open.',
    samples: one(({ state }) => state.journal.openCount()),
  },
  {
    name: 'svc_wallet_requests_made_total',
    type: 'counter',
    help: 'Requests that pay and were recorded for the first time.',
    samples: one(({ outgoing }) => outgoing.made),
  },
  {
    name: 'svc_wallet_settled_total',
    type: 'counter',
    help: 'Transactions by outcome.',
    samples: ({ wallet }) =>
      OUTCOMES.map((outcome) => ({ labels: { outcome }, value: wallet.settledCount(outcome) })),
  },
  {
    name: 'svc_wallet_request_id_mismatches_total',
    type: 'counter',
    help: 'Repeats that had other parameters than their first call.',
    samples: one(({ mismatches }) => mismatches.count),
  },
  {
    name: 'svc_wallet_calls_total',
    type: 'counter',
    help: 'Calls by method.',
    samples: ({ meter }) => meter.calls(),
  },
  {
    name: 'svc_wallet_refusals_total',
    type: 'counter',
    help: 'Calls that were refused, by kind.',
    samples: ({ meter }) => meter.refusals(),
  },
  {
    name: 'svc_wallet_call_seconds',
    type: 'histogram',
    help: 'How long calls took.',
    samples: ({ meter }) => meter.seconds(),
  },
  {
    name: 'svc_wallet_wrong_tokens_total',
    type: 'counter',
    help: 'Requests without a valid token.',
    samples: ({ access }) => [{ value: access.wrongTokens }],
  },
  {
    name: 'svc_wallet_webhook_events_total',
    type: 'counter',
    help: 'Attempts to deliver an event to the webhook, by result.',
    samples: ({ webhook }) => [
      { labels: { result: 'delivered' }, value: webhook?.delivered ?? 0 },
      { labels: { result: 'failed' }, value: webhook?.failed ?? 0 },
    ],
  },
  {
    name: 'svc_wallet_webhook_waiting',
    type: 'gauge',
    help: 'Events that the webhook has not taken yet.',
    samples: ({ webhook }) => [{ value: webhook?.waiting ?? 0 }],
  },
  {
    name: 'svc_wallet_day_max_atoms',
    type: 'gauge',
    help: 'What a token may spend within 24 hours, by token.',
    samples: (ports) => daySamples(ports, ({ max }) => max),
  },
  {
    name: 'svc_wallet_day_spent_atoms',
    type: 'gauge',
    help: 'What the budget of a token has spent within 24 hours, by token.',
    samples: (ports) => daySamples(ports, ({ spent }) => spent),
  },
];

/** Tokens with a limit for the day. */
function daySamples(
  { grants, wallet }: WalletMetricsPorts,
  read: (day: { max: bigint; spent: bigint }) => bigint,
): Sample[] {
  const since = wallet.clock.now() - DAY_MILLIS;
  return grants().flatMap(({ limits, name: token }) => {
    if (limits === null || limits.dayMax === null) return [];
    const spent = wallet.state.spendings.spentSince(limits.budget, since);
    return [{ labels: { token }, value: Number(read({ max: limits.dayMax, spent })) }];
  });
}

export function walletMetrics(ports: WalletMetricsPorts): Metric[] {
  return WALLET_METRICS.map((metric) => ({ ...metric, samples: metric.samples(ports) }));
}

const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 20];
const UNKNOWN = 'unknown';

export class CallMeter {
  /** Everything that can happen is there before it happens: the first of a kind is an increase, and alerts see it. */
  readonly #calls = new Map<string, number>(
    [...METHOD_LIST.map(({ name }) => name), UNKNOWN].map(zero),
  );
  readonly #refusals = new Map<string, number>(Object.keys(RPC_ERRORS).map(zero));
  readonly #seconds = new Histogram(SECONDS);

  record(method: string, refusal: RpcErrorKind | null, seconds: number): void {
    const name = this.#calls.has(method) ? method : UNKNOWN;
    this.#calls.set(name, (this.#calls.get(name) ?? 0) + 1);
    if (refusal !== null) this.#refusals.set(refusal, (this.#refusals.get(refusal) ?? 0) + 1);
    this.#seconds.observe(seconds);
  }

  calls(): Sample[] {
    return [...this.#calls].map(([method, value]) => ({ labels: { method }, value }));
  }

  refusals(): Sample[] {
    return [...this.#refusals].map(([kind, value]) => ({ labels: { kind }, value }));
  }

  seconds(): Sample[] {
    return this.#seconds.samples();
  }
}

function zero(name: string): [string, number] {
  return [name, 0];
}
