/**
 * What a node offers as a whole: the list of routes, health and readiness, and the contract for programs.
 */
import { type Static, Type } from 'typebox';
import { Network } from '../base/references.ts';
import { strict } from '../base/request.ts';
import { routesOf } from '../base/route.ts';
import { ApiVersion, FinalizedHeight, Identifier } from '../base/scalars.ts';

const define = routesOf('service');

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

export const root = define({
  name: 'root',
  method: 'GET',
  path: '/',
  summary: 'Lists the routes offered.',
  query: strict({
    format: Type.Optional(
      Type.Literal('json', { description: 'The list as JSON, whatever is accepted.' }),
    ),
  }),
  answer: RouteList,
  weight: { base: 2 },
  caching: 'revalidate',
});

export const health = define({
  name: 'health',
  method: 'GET',
  path: '/health',
  summary: 'Answers `ok` while the node serves.',
  answer: Type.Literal('ok'),
  media: 'text/plain',
  weight: { base: 0 },
  caching: 'no_store',
});

export const ready = define({
  name: 'ready',
  method: 'GET',
  path: '/ready',
  summary:
    'Answers `ready` while the node can serve, and a further line for each trouble that does not keep it from that; otherwise 503 with the reasons.',
  answer: Type.String({ pattern: '^ready(\\n[a-z_]+: .*)*$' }),
  media: 'text/plain',
  weight: { base: 0 },
  caching: 'no_store',
  extension: true,
  errors: ['not_synced'],
});

const DESCRIPTIONS_COMMON = {
  method: 'GET',
  weight: { base: 5 },
  caching: 'static',
  extension: true,
} as const;

export const openapiJson = define({
  ...DESCRIPTIONS_COMMON,
  name: 'openapiJson',
  path: '/openapi.json',
  summary: 'These routes as an OpenAPI 3.1 document.',
  answer: Type.Object({ openapi: Type.Literal('3.1.0') }),
});

export const asyncapiJson = define({
  ...DESCRIPTIONS_COMMON,
  name: 'asyncapiJson',
  path: '/asyncapi.json',
  summary: 'The sockets as an AsyncAPI 3.0 document.',
  answer: Type.Object({ asyncapi: Type.String() }),
});

export const llmsTxt = define({
  ...DESCRIPTIONS_COMMON,
  name: 'llmsTxt',
  path: '/llms.txt',
  summary: 'A short description of the interface for language models.',
  answer: Type.String(),
  media: 'text/plain',
});

export const llmsFullTxt = define({
  ...DESCRIPTIONS_COMMON,
  name: 'llmsFullTxt',
  path: '/llms-full.txt',
  summary:
    'Module, client, tests, routes, sockets, wallet daemon and development networks in one text for language models.',
  answer: Type.String(),
  media: 'text/plain',
});
