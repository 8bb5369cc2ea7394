/**
 * `GET /`: the routes offered. Browsers get a page instead, unless they ask for `format=json`.
 */
import { type Static, Type } from 'typebox';
import { strict } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, FinalizedHeight, Identifier } from '../base/scalars.ts';
import { Network } from '../documents/references.ts';

export const RouteParameter = Type.Object({
  name: Type.String(),
  in: Type.Union([Type.Literal('path'), Type.Literal('query'), Type.Literal('body')]),
  required: Type.Boolean(),
  description: Type.Optional(Type.String()),
});

export const OfferedRoute = Type.Object({
  method: Type.String(),
  path: Type.String(),
  summary: Type.String(),
  parameters: Type.Array(RouteParameter),
  limits: Type.Object({
    default_page: Type.Optional(Type.Integer()),
    maximum_page: Type.Optional(Type.Integer()),
    maximum_batch: Type.Optional(Type.Integer()),
  }),
  extension: Type.Boolean(),
});
export type OfferedRoute = Static<typeof OfferedRoute>;

export const OfferedSocket = Type.Object({
  path: Type.String(),
  subprotocol: Type.String(),
  summary: Type.String(),
});
export type OfferedSocket = Static<typeof OfferedSocket>;

export const RouteList = Type.Object({
  api_version: ApiVersion,
  version: Type.String({ description: 'Release of the node.' }),
  network: Network,
  chain_id: Identifier,
  finalized_height: FinalizedHeight,
  routes: Type.Array(OfferedRoute),
  sockets: Type.Array(OfferedSocket),
});
export type RouteList = Static<typeof RouteList>;

export const root = defineRoute({
  name: 'root',
  method: 'GET',
  path: '/',
  group: 'service',
  summary: 'Lists the routes offered.',
  query: strict({
    format: Type.Optional(
      Type.Literal('json', { description: 'The list as JSON, whatever is accepted.' }),
    ),
  }),
  answer: RouteList,
  media: 'application/json',
  weight: { base: 2 },
  caching: 'revalidate',
  extension: false,
  errors: [],
});
