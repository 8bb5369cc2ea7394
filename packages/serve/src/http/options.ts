/**
 * How the HTTP API is served: options, time limits, and how much a client may ask for.
 */
import type { PageFiles } from 'svc-page/files';
import type { BudgetLimits } from './guards/budgets.ts';

type HttpProfile = 'node' | 'public';

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

export interface HttpOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly profile: HttpProfile;
  /** Host names the API answers to, beside the loopback ones and the address it listens on. */
  readonly publicNames: readonly string[];
  /** Origins whose pages may call, exactly as browsers send them. */
  readonly browserOrigins: readonly string[];
  /** Addresses or networks whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** The page for browsers; without it there is none. */
  readonly page?: PageFiles | undefined;
  /** Replaces some of `HTTP_TIMEOUTS`, for tests. */
  readonly timeouts?: Partial<HttpTimeouts>;
}

/** Milliseconds. */
export interface HttpTimeouts {
  readonly headers: number;
  readonly request: number;
  readonly keepAlive: number;
  readonly checkingInterval: number;
  /** How long a client may leave its answer unread. */
  readonly stuck: number;
  readonly closing: number;
}

export const HTTP_TIMEOUTS: HttpTimeouts = {
  headers: 5_000,
  request: 10_000,
  keepAlive: 5_000,
  checkingInterval: 1_000,
  stuck: 30_000,
  closing: 2_000,
};

export const HEADER_BYTES_MAX = 16 * 1024;
export const REQUESTS_PER_SOCKET = 1_000;
/** Connections that the system keeps until the node takes them; beyond them a client has to knock again, a second later. */
export const ARRIVALS_MAX = 4_096;
