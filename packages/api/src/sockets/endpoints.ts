/**
 * The WebSocket endpoints of a node, and what one connection may ask for. A client names the subprotocol when it
 * connects; the version is in it. A node serves the `node` profile, a public service the `public` one.
 */
export const SOCKET_ENDPOINTS = {
  events: {
    path: '/v1/events',
    subprotocol: 'svc.node-events.v1',
    summary: 'Every finalized cut, in order, from a height within the last hour on.',
  },
  api: {
    path: '/v1/ws',
    subprotocol: 'svc.node-api.v1',
    summary: 'Subscriptions by topic, and reads of any GET route.',
  },
  status: {
    path: '/v1/transactions/{id}/status/stream',
    subprotocol: 'svc.transaction-status.v1',
    summary: 'The status of one transaction until it is final.',
  },
} as const;

export type SocketEndpoint = keyof typeof SOCKET_ENDPOINTS;

export interface SocketLimits {
  readonly subscriptions: number;
  /** Addresses over all subscriptions of the connection. */
  readonly watchedAddresses: number;
  /** The largest frame that a client may send. */
  readonly frameBytes: number;
  /** The largest body of a `response`. */
  readonly answerBytes: number;
  readonly framesPerSecond: number;
  readonly requestsInFlight: number;
}

const KIB = 1_024;

export const SOCKET_LIMITS = {
  node: {
    subscriptions: 64,
    watchedAddresses: 512,
    frameBytes: 64 * KIB,
    answerBytes: 256 * KIB,
    framesPerSecond: 100,
    requestsInFlight: 8,
  },
  public: {
    subscriptions: 64,
    watchedAddresses: 512,
    frameBytes: 16 * KIB,
    answerBytes: 1_024 * KIB,
    framesPerSecond: 10,
    requestsInFlight: 4,
  },
} as const satisfies Readonly<Record<string, SocketLimits>>;

export type SocketProfile = keyof typeof SOCKET_LIMITS;

export const REQUEST_PATH_BYTES_MAX = KIB;
export const ADDRESSES_PER_SUBSCRIPTION_MAX = 64;
export const FRAME_ID_CHARACTERS_MAX = 128;

/** How far back `/v1/events` replays, by the times of the cuts. */
export const REPLAY_MILLIS = 3_600_000;
