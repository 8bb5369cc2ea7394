/**
 * What the contract says about one HTTP route. The server, the client, the description documents and the
 * list at `/` are all made from these entries.
 */
import type { TObject, TSchema } from 'typebox';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { PageSize } from './request.ts';

export const ROUTE_GROUPS = [
  'service',
  'address',
  'cuts',
  'transactions',
  'blocks',
  'chain',
  'mempool',
  'staking',
  'proofs',
  'economics',
  'node',
] as const;
export type RouteGroup = (typeof ROUTE_GROUPS)[number];

/**
 * `no_store`: true for this moment only. `revalidate`: changes with the next cut. `immutable`: final, never
 * changes once the node answers it so. `static`: changes with the release.
 */
export type CachingClass = 'no_store' | 'revalidate' | 'immutable' | 'static';

export type MediaType = 'application/json' | 'text/plain';

/** A body of bytes that a route takes in place of its document, as large as that at most. */
export interface BytesBody {
  /** The content type that tells it from the document. */
  readonly media: string;
  /** What the bytes are. */
  readonly description: string;
}

/** How many items one request may name, and in which field of the body. */
export interface BatchLimit {
  readonly field: string;
  readonly maximum: number;
}

/** What a request takes from the budget of a client. */
export interface Weight {
  readonly base: number;
  /** For each item of a batch, or each row of a page that is asked for. */
  readonly perItem?: number;
}

export interface Route {
  /** The name of the route for programs. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** The path of the route; parameters stand in braces. */
  readonly path: string;
  readonly group: RouteGroup;
  readonly summary: string;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TObject;
  readonly bytes?: BytesBody;
  readonly answer: TSchema;
  readonly media: MediaType;
  readonly page?: PageSize;
  readonly batch?: BatchLimit;
  readonly weight: Weight;
  readonly caching: CachingClass;
  /** Whether the route is an addition of this node to the specification. */
  readonly extension: boolean;
  /** Refusals beside those that every route may give. */
  readonly errors: readonly ErrorCode[];
}

export function defineRoute<const R extends Route>(route: R): R {
  return route;
}
