/**
 * Headers of every answer, as lists of names and values. None of them carries meaning that a signature would
 * have to cover. What is the same for many answers is put together once.
 */
import type { CachingClass } from 'svc-api';

/** Names and values in turn. */
export type HeaderList = readonly string[];

export const JSON_MEDIA = 'application/json; charset=utf-8';
export const TEXT_MEDIA = 'text/plain; charset=utf-8';
export const HTML_MEDIA = 'text/html; charset=utf-8';

export const NO_STORE = 'no-store';

const CACHING: Readonly<Record<CachingClass, string>> = {
  no_store: NO_STORE,
  revalidate: 'no-cache',
  immutable: 'public, max-age=31536000, immutable',
  static: 'public, max-age=300',
};

/** The caching of an answer; one that can still change is asked for again. */
export function cachingOf(caching: CachingClass, isFinal: boolean): string {
  return caching === 'immutable' && !isFinal ? CACHING.revalidate : CACHING[caching];
}

export interface CommonHeaders {
  readonly media: string;
  readonly caching: string;
  /** Request headers that the answer depends on beside the origin. */
  readonly vary?: string;
  readonly policy?: string;
}

const NO_CONTENT_POLICY = "default-src 'none'; frame-ancestors 'none'";

export function commonHeaders({ media, caching, vary, policy }: CommonHeaders): HeaderList {
  return [
    'content-type',
    media,
    'cache-control',
    caching,
    'vary',
    vary === undefined ? 'origin' : `origin, ${vary}`,
    'x-content-type-options',
    'nosniff',
    'referrer-policy',
    'no-referrer',
    'cross-origin-resource-policy',
    'same-origin',
    'content-security-policy',
    policy ?? NO_CONTENT_POLICY,
  ];
}

const EXPOSED = [
  'retry-after',
  'x-svc-envelope-version',
  'x-svc-node-identity',
  'x-svc-request-nonce',
  'x-svc-tip-height',
  'x-svc-signature',
].join(', ');

export function corsHeaders(origin: string): HeaderList {
  return ['access-control-allow-origin', origin, 'access-control-expose-headers', EXPOSED];
}

const PREFLIGHT_SECONDS = 600;

export function preflightHeaders(
  origin: string,
  methods: string,
  isPrivateNetwork: boolean,
): HeaderList {
  return [
    'access-control-allow-origin',
    origin,
    'access-control-allow-methods',
    methods,
    'access-control-allow-headers',
    'content-type, x-svc-request-nonce',
    'access-control-max-age',
    String(PREFLIGHT_SECONDS),
    'vary',
    'origin, access-control-request-method, access-control-request-headers',
    ...(isPrivateNetwork ? ['access-control-allow-private-network', 'true'] : []),
  ];
}
