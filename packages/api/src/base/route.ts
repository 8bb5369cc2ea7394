/**
 * The contract of one HTTP route. The server, the client, the description documents and the
 * list at `/` are all made from these entries.
 */
import { type TObject, type TProperties, type TSchema, Type } from 'typebox';
import type { ErrorCode } from '../errors.ts';
import type { PageSize } from './request.ts';
import { ApiVersion, FinalizedHeight } from './scalars.ts';

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
  /** The content type that distinguishes it from the document. */
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

type Defaulted = 'media' | 'extension' | 'errors';
type Given = Omit<Route, 'group' | Defaulted> & Partial<Pick<Route, Defaulted>>;

const DEFAULTS = { media: 'application/json', extension: false, errors: [] } as const;

/** Defines routes of a group: JSON of the specification without refusals of their own, unless they say otherwise. */
export function routesOf<const G extends RouteGroup>(group: G) {
  return <const R extends Given>(
    route: R,
  ): { readonly group: G } & Omit<typeof DEFAULTS, keyof R> & R => ({
    group,
    ...DEFAULTS,
    ...route,
  });
}

/** A document about the finalized state. */
export function finalized<P extends TProperties>(properties: P) {
  return Type.Object({
    api_version: ApiVersion,
    finalized_height: FinalizedHeight,
    ...properties,
  });
}
