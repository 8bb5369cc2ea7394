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

type Read = (wallet: Wallet) => number | bigint | boolean;

/** A metric of one figure of the wallet. */
function one(name: string, type: WalletMetric['type'], help: string, read: Read): WalletMetric {
  return several(name, type, help, ({ wallet }) => [{ value: Number(read(wallet)) }]);
}

function several(
  name: string,
  type: WalletMetric['type'],
  help: string,
  samples: WalletMetric['samples'],
): WalletMetric {
  return { name: `svc_wallet_${name}`, type, help, samples };
}

export const WALLET_METRICS: readonly WalletMetric[] = [
  several('info', 'gauge', 'The release that runs and its network, as labels.', ({ wallet }) => [
    { labels: { version: VERSION, network: wallet.network }, value: 1 },
  ]),
  one('uptime_seconds', 'gauge', 'Seconds since the start.', ({ uptimeSeconds }) => uptimeSeconds),
  one(
    'node_reachable',
    'gauge',
    'Whether the node answers.',
    ({ node }) => node.sync !== undefined,
  ),
  one(
    'node_synced',
    'gauge',
    'Whether the node has caught up with its network.',
    ({ node }) => node.sync?.synced ?? false,
  ),
  one('node_height', 'gauge', 'The newest cut of the node.', ({ node }) => node.height),
  one(
    'indexed_height',
    'gauge',
    'The cut up to which the wallet has read the chain.',
    ({ scanner }) => scanner.indexedHeight,
  ),
  one(
    'contradiction',
    'gauge',
    'Whether the node serves another history than the one that was followed: nothing is paid or credited.',
    ({ history }) => history.contradiction !== null,
  ),
  one(
    'recovering',
    'gauge',
    'Whether a restored state has not caught up yet: nothing is paid.',
    ({ state }) => state.meta.get('recovering') !== undefined,
  ),
  one(
    'balance_atoms',
    'gauge',
    'What the wallet holds.',
    ({ state }) => state.outputs.totals().balance,
  ),
  one(
    'reserved_atoms',
    'gauge',
    'What open transactions hold of it.',
    ({ state }) => state.outputs.totals().reserved,
  ),
  one(
    'outputs',
    'gauge',
    'Outputs that the wallet holds.',
    ({ state }) => state.outputs.totals().outputCount,
  ),
  one(
    'unpaid_addresses',
    'gauge',
    'Addresses that were given out after the last one that was paid.',
    ({ state }) => state.addresses.unpaid(0),
  ),
  one(
    'gap',
    'gauge',
    'Addresses that a restored wallet looks at beyond the last one paid.',
    ({ gap }) => gap,
  ),
  one(
    'float_wanted',
    'gauge',
    'Outputs that the float should have; 0 without one.',
    ({ float }) => float?.count ?? 0,
  ),
  one('float_free', 'gauge', 'Outputs of the float that can pay now.', ({ float, state }) =>
    float === null ? 0 : state.outputs.countFree(float.amount, float.count),
  ),
  one('open_transactions', 'gauge', 'Transactions whose outcome is open.', ({ state }) =>
    state.journal.openCount(),
  ),
  one(
    'requests_made_total',
    'counter',
    'Requests that pay and were recorded for the first time.',
    ({ outgoing }) => outgoing.made,
  ),
  several('settled_total', 'counter', 'Transactions by outcome.', ({ wallet }) =>
    OUTCOMES.map((outcome) => ({ labels: { outcome }, value: wallet.settledCount(outcome) })),
  ),
  one(
    'request_id_mismatches_total',
    'counter',
    'Repeats that had other parameters than their first call.',
    ({ mismatches }) => mismatches.count,
  ),
  several('calls_total', 'counter', 'Calls by method.', ({ meter }) => meter.calls()),
  several('refusals_total', 'counter', 'Calls that were refused, by kind.', ({ meter }) =>
    meter.refusals(),
  ),
  several('call_seconds', 'histogram', 'How long calls took.', ({ meter }) => meter.seconds()),
  several('wrong_tokens_total', 'counter', 'Requests without a valid token.', ({ access }) => [
    { value: access.wrongTokens },
  ]),
  several(
    'webhook_events_total',
    'counter',
    'Attempts to deliver an event to the webhook, by result.',
    ({ webhook }) => [
      { labels: { result: 'delivered' }, value: webhook?.delivered ?? 0 },
      { labels: { result: 'failed' }, value: webhook?.failed ?? 0 },
    ],
  ),
  several(
    'webhook_waiting',
    'gauge',
    'Events that the webhook has not taken yet.',
    ({ webhook }) => [{ value: webhook?.waiting ?? 0 }],
  ),
  several('day_max_atoms', 'gauge', 'What a token may spend within 24 hours, by token.', (ports) =>
    daySamples(ports, ({ max }) => max),
  ),
  several(
    'day_spent_atoms',
    'gauge',
    'What the budget of a token has spent within 24 hours, by token.',
    (ports) => daySamples(ports, ({ spent }) => spent),
  ),
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
