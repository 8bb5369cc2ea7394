/**
 * Puts every route of the table into the application.
 */
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { ROUTES, type Route, type RouteName } from 'svc-api';
import { bytesOf } from 'svc-ledger';
import { bodyOf } from './answers/answer.ts';
import { sendAnswer } from './answers/exchange.ts';
import { cachingOf, JSON_MEDIA, TEXT_MEDIA } from './answers/headers.ts';
import { integerFields, withIntegers } from './requests/integers.ts';
import type { Handler, RouteParts, RouteRequest } from './routes/handler.ts';
import { HANDLERS } from './routes/handlers.ts';

export function addRoutes(app: FastifyInstance, parts: RouteParts): void {
  for (const name of Object.keys(ROUTES) as RouteName[]) {
    app.route(routeOptions(ROUTES[name], HANDLERS[name] as Handler<Route>, parts));
  }
}

function routeOptions(route: Route, handle: Handler<Route>, parts: RouteParts): RouteOptions {
  const { chain, identity } = parts.services;
  const signing = { identity, chainId: bytesOf(chain.chainId) };
  const media = route.media === 'application/json' ? JSON_MEDIA : TEXT_MEDIA;
  return {
    method: route.method,
    url: route.path.replace(/\{([a-z]+)\}/g, ':$1'),
    config: { route },
    schema: {
      ...(route.params === undefined ? {} : { params: route.params }),
      ...(route.query === undefined ? {} : { querystring: route.query }),
      ...(route.body === undefined ? {} : { body: route.body }),
    },
    ...integerReading(route),
    handler: async (request, reply) => {
      const { exchange } = request;
      chargeItems(route, request, parts);
      const answer = await handle(parts, requestOf(request));
      const outgoing = {
        status: 200,
        media: answer.media ?? media,
        body: bodyOf(answer),
        caching: cachingOf(route.caching, answer.isFinal === true),
        height: answer.height,
        ...(answer.headers === undefined ? {} : { headers: answer.headers }),
      };
      return sendAnswer(exchange, request, reply, outgoing, signing);
    },
  };
}

function requestOf({
  params,
  query,
  body,
  exchange,
  headers,
}: FastifyRequest): RouteRequest<Route> {
  return {
    params,
    query,
    body,
    client: exchange.client,
    accept: headers.accept,
  } as RouteRequest<Route>;
}

/** Digits of paths and queries become numbers before the schema sees them. */
function integerReading(route: Route): Pick<RouteOptions, 'preValidation'> {
  const inParams = integerFields(route.params);
  const inQuery = integerFields(route.query);
  if (inParams.length === 0 && inQuery.length === 0) return {};
  return {
    preValidation: (request, _reply, done) => {
      try {
        request.params = withIntegers(request.params as Record<string, unknown>, inParams);
        request.query = withIntegers(request.query as Record<string, unknown>, inQuery);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  };
}

function chargeItems(
  route: Route,
  { body, query, exchange }: FastifyRequest,
  { guard }: RouteParts,
): void {
  const { perItem } = route.weight;
  if (perItem === undefined) return;
  guard.chargeRequest(exchange.client, perItem * itemsOf(route, body, query));
}

function itemsOf({ batch, page }: Route, body: unknown, query: unknown): number {
  if (batch !== undefined) {
    return ((body as Record<string, unknown>)[batch.field] as unknown[]).length;
  }
  return (query as { limit?: number }).limit ?? page?.default ?? 0;
}
