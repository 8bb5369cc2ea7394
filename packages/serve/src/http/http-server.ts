/**
 * The HTTP API of a node: listens, answers, and lets the sockets attach to its server. It can be left by its node and serve
 * another one of the same chain and identity.
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { MempoolDocument } from 'svc-api';
import { ConnectionLimit } from 'svc-base/node';
import { Addresses } from '../documents/addresses.ts';
import type { ReadAnswer, Services } from '../ports.ts';
import { errorDocument, type Refusal } from '../refusal.ts';
import { addRoutes } from './add-routes.ts';
import { createApp, Gate, SOCKET_READ } from './create-app.ts';
import { clientKeyOf } from './guards/client-key.ts';
import { RequestGuard, targetFault } from './guards/request-guard.ts';
import { AttendanceHistory, ChainSeries, MempoolFigures } from './history.ts';
import { ARRIVALS_MAX, HTTP_TIMEOUTS, type HttpOptions, PROFILE_LIMITS } from './options.ts';
import { addPageRoutes } from './pages.ts';
import { CutLists } from './reading/cut-lists.ts';
import { SharedReaders } from './reading/shared-readers.ts';
import { Refuser } from './refuser.ts';
import { ServedNode } from './routes/handler.ts';

export class HttpServer {
  /** `addMore` may put further routes into the application; a development network has some. */
  static async start(
    services: Services,
    options: HttpOptions,
    addMore: (app: FastifyInstance) => void = () => {},
  ): Promise<HttpServer> {
    const limits = PROFILE_LIMITS[options.profile];
    const guard = new RequestGuard({
      hosts: [...options.publicNames, options.host],
      browserOrigins: options.browserOrigins,
      trustedProxies: options.trustedProxies,
      limits,
      clock: services.clock,
    });
    const served = new ServedNode();
    const timeouts = { ...HTTP_TIMEOUTS, ...options.timeouts };
    const refuser = new Refuser(served, services, timeouts.stuck);
    const gate = new Gate(guard);
    const places = new ConnectionLimit({
      places: limits.connections,
      placesPerClient: limits.connectionsPerClient,
      clientOf: clientKeyOf,
      isExcepted: (address) => guard.isExceptedFromShare(address),
      mayConnect: (client) => guard.mayConnect(client),
    });
    const made = createApp({ guard, gate, refuser, places, timeouts });
    addRoutes(made, served, refuser);
    const { app, gateFor } = made;
    app.register(async (scope) => {
      scope.addHook('onRequest', gateFor(undefined));
      if (options.page !== undefined) addPageRoutes(scope, options.page);
      addMore(scope);
    });
    places.watch(app.server);
    const http = new HttpServer(app, { served, guard, hasPage: options.page !== undefined });
    await http.serve(services);
    await app.listen({ host: options.host, port: options.port, backlog: ARRIVALS_MAX });
    return http;
  }

  /** The guard, so that sockets admit clients by the same rules and budgets. */
  readonly guard: RequestGuard;
  readonly #app: FastifyInstance;
  readonly #served: ServedNode;
  readonly #hasPage: boolean;
  #closing: Promise<void> | undefined;

  private constructor(
    app: FastifyInstance,
    { served, guard, hasPage }: { served: ServedNode; guard: RequestGuard; hasPage: boolean },
  ) {
    this.#app = app;
    this.#served = served;
    this.guard = guard;
    this.#hasPage = hasPage;
  }

  /** The server on which the sockets listen for `upgrade`. */
  get server(): Server {
    return this.#app.server;
  }

  get port(): number {
    return (this.#app.server.address() as AddressInfo).port;
  }

  mempoolDocument(): MempoolDocument {
    return this.#served.last.mempoolFigures.document();
  }

  /** Answers a GET for a client of a socket, from the budget that the client has over HTTP. */
  async read(target: string, client: string): Promise<ReadAnswer> {
    const fault = targetFault(target);
    if (fault !== undefined) return refusedRead(fault);
    const { statusCode, body, headers } = await this.#app.inject({
      method: 'GET',
      url: target,
      remoteAddress: SOCKET_READ + client,
    });
    const isJson = String(headers['content-type']).startsWith('application/json');
    return { status: statusCode, body: isJson ? body : JSON.stringify(body) };
  }

  /** Answers from a node; the one before must have been left. */
  async serve(services: Services): Promise<void> {
    const { chain, mempool, clock } = services;
    this.#served.enter({
      services,
      readers: new SharedReaders(chain),
      addresses: new Addresses(chain.manifest.network),
      cutLists: new CutLists(),
      guard: this.guard,
      hasPage: this.#hasPage,
      series: new ChainSeries(chain, mempool),
      attendance: new AttendanceHistory(chain),
      mempoolFigures: new MempoolFigures(chain, mempool, clock),
    });
  }

  /** Lets the node go, so that it can be closed; requests wait from now on until another one is served. */
  async leave(): Promise<void> {
    await this.#served.leave(HTTP_TIMEOUTS.closing);
    this.#release();
  }

  /** Resolves within a bounded time, whatever clients do. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const closed = this.#app.close();
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#app.server.closeAllConnections();
      resolve();
    }, HTTP_TIMEOUTS.closing);
    await Promise.race([closed, timeout]);
    clearTimeout(timer);
    this.#release();
  }

  /** Ends what was opened for the node that is served; a second call does nothing. */
  #release(): void {
    const { series, attendance, mempoolFigures, readers } = this.#served.last;
    series.close();
    attendance.close();
    mempoolFigures.close();
    readers.close();
  }
}

function refusedRead(refusal: Refusal): ReadAnswer {
  return { status: 400, body: JSON.stringify(errorDocument(refusal)) };
}
