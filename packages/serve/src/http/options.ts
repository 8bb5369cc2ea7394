/**
 * How the HTTP API is served.
 */
import type { PageFiles } from 'svc-page/files';
import type { HttpProfile } from './guards/profiles.ts';

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
