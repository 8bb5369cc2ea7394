/**
 * Puts every route of the table into the application.
 */
import type { FastifyRequest, RouteOptions } from 'fastify';
import { ROUTES, type Route, type RouteName } from 'svc-api';
import { outgoingOf } from './answers/answer.ts';
import { sendAnswer } from './answers/exchange.ts';
import type { App, GateHook } from './create-app.ts';
import type { Refuser } from './refuser.ts';
import { integerFields, withIntegers } from './requests/integers.ts';
import type { Handler, RoutePorts, RouteRequest } from './routes/handler.ts';
import { HANDLERS } from './routes/handlers.ts';
import type { ServedNode } from './served-node.ts';

export function addRoutes({ app, gateFor }: App, served: ServedNode, refuser: Refuser): void {
  for (const name of Object.keys(ROUTES) as RouteName[]) {
    const route: Route = ROUTES[name];
    const handle = handlerOf(route, HANDLERS[name], served, refuser);
    app.route({ ...routeOptions(route, gateFor(route)), handler: handle });
  }
}

function routeOptions(route: Route, onRequest: GateHook): Omit<RouteOptions, 'handler'> {
  return {
    method: route.method,
    url: route.path.replace(/\{([a-z]+)\}/g, ':$1'),
    schema: {
      ...(route.params === undefined ? {} : { params: route.params }),
      ...(route.query === undefined ? {} : { querystring: route.query }),
      ...(route.body === undefined ? {} : { body: route.body }),
    },
    onRequest,
    ...integerReading(route),
  };
}

function handlerOf(
  route: Route,
  handle: Handler<Route>,
  served: ServedNode,
  refuser: Refuser,
): RouteOptions['handler'] {
  const { sending } = refuser;
  const outgoing = outgoingOf(route);
  const answer = async (ports: RoutePorts, request: FastifyRequest): Promise<void> => {
    chargeItems(route, request, ports);
    const made = await handle(ports, requestOf(request));
    sendAnswer(request.exchange, outgoing(made), sending);
  };
  return (request, reply) => {
    reply.hijack();
    served
      .answer((ports) => answer(ports, request))
      .catch((error: unknown) => refuser.fail(request, reply, error));
  };
}

function requestOf({ params, query, body, exchange }: FastifyRequest): RouteRequest<Route> {
  const { client, request } = exchange;
  const { accept } = request.headers;
  return { params, query, body, client, accept } as RouteRequest<Route>;
}

/** Turns the digits of integer fields in paths and queries into numbers before the schema checks them. */
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
  { guard }: RoutePorts,
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
