/**
 * The OpenAPI 3.1 document of the route table. Schemas are JSON Schema already, so they go in as they are.
 */
import type { TObject, TSchema } from 'typebox';
import { ROUTE_GROUPS, type Route } from '../base/route.ts';
import { ERROR_CATALOGUE, type ErrorCode, ErrorDocument } from '../errors.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

export interface OpenapiOptions {
  readonly version: string;
  readonly serverUrl?: string;
}

/** Refusals that every route may answer with, beside its own. */
const COMMON_ERRORS = [
  'bad_request',
  'bad_target',
  'host_not_allowed',
  'origin_not_allowed',
  'method_not_allowed',
  'too_many_requests',
  'blocked',
  'internal_error',
  'unavailable',
] as const satisfies readonly ErrorCode[];

const BODY_ERRORS = [
  'bad_json',
  'body_too_large',
  'unsupported_media_type',
  'missing_field',
  'unknown_field',
  'bad_type',
] as const satisfies readonly ErrorCode[];

const QUERY_ERRORS = [
  'duplicate_parameter',
  'unknown_field',
  'bad_integer',
  'out_of_range',
] as const satisfies readonly ErrorCode[];

export function routeErrors(route: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>([
    ...COMMON_ERRORS,
    ...(route.body === undefined ? [] : BODY_ERRORS),
    ...(route.query === undefined ? [] : QUERY_ERRORS),
    ...route.errors,
  ]);
  return [...codes];
}

export function openapiDocument(routes: readonly Route[], options: OpenapiOptions): JsonObject {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc node',
      version: options.version,
      description: 'The HTTP API of a node. Amounts are atoms in decimal strings.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: options.serverUrl ?? '/' }],
    tags: ROUTE_GROUPS.map((name) => ({ name })),
    paths,
    components: { schemas: { Error: plain(ErrorDocument) } },
    'x-svc-errors': plain(ERROR_CATALOGUE),
  };
}

function operation(route: Route): Json {
  return {
    operationId: route.name,
    tags: [route.group],
    summary: route.summary,
    parameters: [
      ...parameters(route.params, 'path'),
      ...parameters(route.query, 'query'),
      ...signedAnswerParameter(route),
    ],
    ...requestBody(route),
    responses: responses(route),
    ...(route.extension ? { 'x-svc-extension': true } : {}),
  };
}

function requestBody({ body, bytes }: Route): JsonObject {
  if (body === undefined) return {};
  const inBytes =
    bytes === undefined ? {} : { [bytes.media]: { schema: { description: bytes.description } } };
  const accepted = { ...content(body, 'application/json'), ...inBytes };
  return { requestBody: { required: true, content: accepted } };
}

function parameters(schema: TObject | undefined, where: 'path' | 'query'): Json[] {
  if (schema === undefined) return [];
  const required = new Set<string>(schema.required ?? []);
  return Object.entries(schema.properties).map(([name, property]) => ({
    name,
    in: where,
    required: required.has(name),
    schema: plain(property),
  }));
}

function signedAnswerParameter({ path }: Route): Json[] {
  if (!path.startsWith('/v1/')) return [];
  return [
    {
      name: 'x-svc-request-nonce',
      in: 'header',
      required: false,
      description: '32 random bytes in hexadecimal; the answer is signed if it is sent.',
      schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    },
  ];
}

function responses(route: Route): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of routeErrors(route)) {
    const { status } = ERROR_CATALOGUE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const refusals = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]): [string, Json] => [
      String(status),
      {
        description: codes.map((code) => `${code}: ${ERROR_CATALOGUE[code].meaning}`).join('\n\n'),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]);
  const answer = { description: route.summary, content: content(route.answer, route.media) };
  return { '200': answer, ...Object.fromEntries(refusals) };
}

function content(schema: TSchema, media: string): JsonObject {
  return { [media]: { schema: plain(schema) } };
}

/** Schemas carry symbols and non-enumerable marks that JSON leaves out. */
function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
