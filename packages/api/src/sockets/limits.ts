/**
 * What one connection may ask for. A node serves the `node` profile, a public service the `public` one.
 */
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
