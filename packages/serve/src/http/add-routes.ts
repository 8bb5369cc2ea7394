/**
 * Puts every route of the table into the application.
 */
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { ROUTES, type Route, type RouteName } from 'svc-api';
import { outgoingOf, sendAnswer } from './answers.ts';
import type { App, GateHook } from './create-app.ts';
import type { Refuser } from './refuser.ts';
import * as address from './routes/address.ts';
import * as blocks from './routes/blocks.ts';
import * as chain from './routes/chain.ts';
import * as cuts from './routes/cuts.ts';
import * as economics from './routes/economics.ts';
import type {
  Handler,
  HandlerFor,
  RoutePorts,
  RouteRequest,
  ServedNode,
} from './routes/handler.ts';
import * as mempool from './routes/mempool.ts';
import * as node from './routes/node.ts';
import * as proofs from './routes/proofs.ts';
import * as service from './routes/service.ts';
import * as staking from './routes/staking.ts';
import * as transactions from './routes/transactions.ts';

const HANDLERS: { readonly [Name in RouteName]: Handler<Name> } = {
  ...address,
  ...blocks,
  ...chain,
  ...cuts,
  ...economics,
  ...mempool,
  ...node,
  ...proofs,
  ...service,
  ...staking,
  ...transactions,
};

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
      ...(route.body === undefined ? {} : { body: bodySchema(route) }),
    },
    onRequest,
  };
}

/** Bytes in place of the document have no schema; their reader has refused what is malformed. */
function bodySchema({ body, bytes }: Route): object | undefined {
  return bytes === undefined ? body : { content: { 'application/json': { schema: body } } };
}

function handlerOf(
  route: Route,
  handle: HandlerFor<Route>,
  served: ServedNode,
  refuser: Refuser,
): RouteOptions['handler'] {
  const { sending } = refuser;
  const outgoing = outgoingOf(route);
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const taken = served.take();
    const ports = taken instanceof Promise ? await taken : taken;
    try {
      chargeItems(route, request, ports);
      const handled = handle(ports, requestOf(request));
      // A read that is asked for much is there at once: it waits for no turn.
      const made = handled instanceof Promise ? await handled : handled;
      sendAnswer(request.exchange, outgoing(made), sending);
    } catch (error) {
      refuser.fail(request, reply, error);
    } finally {
      served.release();
    }
  };
  return (request, reply) => {
    reply.hijack();
    void answer(request, reply);
  };
}

function requestOf({ params, query, body, exchange }: FastifyRequest): RouteRequest<Route> {
  const { client, request } = exchange;
  const { accept } = request.headers;
  return { params, query, body, client, accept } as RouteRequest<Route>;
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
    const items = Array.isArray(body) ? body : (body as Record<string, unknown[]>)[batch.field];
    return (items as readonly unknown[]).length;
  }
  return (query as { limit?: number }).limit ?? page?.default ?? 0;
}
