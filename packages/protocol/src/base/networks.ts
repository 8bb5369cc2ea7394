/**
 * The four networks, their codes, address prefixes and times; `docs/protocol.md` 2.
 */
import { SvcError } from './svc-error.ts';

interface NetworkFacts {
  readonly code: number;
  readonly prefix: string;
  /** Cuts of an interval. */
  readonly intervalCuts: bigint;
  /** Milliseconds from cut to cut. The operator of a development network may choose another pace than this. */
  readonly paceMillis: bigint;
}

export const NETWORKS = {
  mainnet: { code: 1, prefix: 'svc', intervalCuts: 34_560n, paceMillis: 2_500n },
  testnet: { code: 2, prefix: 'tsvc', intervalCuts: 34_560n, paceMillis: 2_500n },
  testnet100: { code: 3, prefix: 'hsvc', intervalCuts: 360n, paceMillis: 2_500n },
  development: { code: 4, prefix: 'dsvc', intervalCuts: 120n, paceMillis: 500n },
} as const satisfies Record<string, NetworkFacts>;

export type Network = keyof typeof NETWORKS;

/** Half of the intervals for which a validator that left can still be punished. */
const TRUSTING_INTERVALS = 5n;

/** How long after its time a cut may be trusted without a further source; `docs/protocol.md` 8.5. */
export function trustingPeriodMillis(network: Network): bigint {
  const { intervalCuts, paceMillis } = NETWORKS[network];
  return TRUSTING_INTERVALS * intervalCuts * paceMillis;
}

export function expectNetwork(value: unknown, path: string): Network {
  if (typeof value === 'string' && Object.hasOwn(NETWORKS, value)) return value as Network;
  throw new SvcError('wrong_network', `expected one of ${Object.keys(NETWORKS).join(', ')}`, {
    path,
  });
}
