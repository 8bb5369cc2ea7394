/**
 * How much a client may ask for: of a node on its own machine, and of a public API.
 */
import type { BudgetLimits } from './budgets.ts';

export type HttpProfile = 'node' | 'public';

export interface ProfileLimits {
  /** The budget of all requests, spent by the weight of each route. */
  readonly requests: BudgetLimits;
  /** The budget of signed answers: each costs a signature on the main thread. */
  readonly signatures: BudgetLimits;
  readonly allSignatures: BudgetLimits;
  /** The budget of submissions: each may cost signature checks. */
  readonly submissions: BudgetLimits;
  /** Whether requests and submissions from this machine are limited too. */
  readonly limitsLoopback: boolean;
  /** Connections of all clients, and of one that is no proxy. */
  readonly connections: number;
  readonly connectionsPerClient: number;
  /** The budget of new connections. One that is over it is ended unread, so it is larger than that of requests. */
  readonly arrivals: BudgetLimits;
}

const BLOCK = { strikesMax: 100, blockMillis: 60_000 } as const;

export const PROFILE_LIMITS: Readonly<Record<HttpProfile, ProfileLimits>> = {
  node: {
    requests: { burst: 1_000, perSecond: 250, ...BLOCK },
    signatures: { burst: 200, perSecond: 50 },
    allSignatures: { burst: 200, perSecond: 100 },
    submissions: { burst: 500, perSecond: 100 },
    limitsLoopback: false,
    connections: 1_024,
    connectionsPerClient: 256,
    arrivals: { burst: 2_048, perSecond: 512 },
  },
  public: {
    requests: { burst: 200, perSecond: 40, ...BLOCK },
    signatures: { burst: 20, perSecond: 4 },
    allSignatures: { burst: 200, perSecond: 100 },
    submissions: { burst: 20, perSecond: 4 },
    limitsLoopback: true,
    connections: 8_192,
    connectionsPerClient: 64,
    arrivals: { burst: 512, perSecond: 64 },
  },
};
