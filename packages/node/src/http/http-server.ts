/**
 * The HTTP API of a node: listens, answers, and lets the sockets attach to its server.
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { MempoolDocument } from 'svc-api';
import { ConnectionPlaces } from 'svc-base/node';
import { Addresses } from '../documents/addresses.ts';
import { errorDocument, type Refusal } from '../refusal/refused.ts';
import type { Services } from '../services.ts';
import { addRoutes } from './add-routes.ts';
import { createApp } from './create-app.ts';
import { FastLane } from './fast-lane.ts';
import { Gate, SOCKET_READ } from './gate.ts';
import { clientKeyOf } from './guards/client-key.ts';
import { PROFILE_LIMITS } from './guards/profiles.ts';
import { RequestGuard } from './guards/request-guard.ts';
import { targetFault } from './guards/target.ts';
import { AttendanceHistory } from './history/attendance-history.ts';
import { ChainSeries } from './history/chain-series.ts';
import { MempoolFigures } from './history/mempool-figures.ts';
import { HTTP_TIMEOUTS, type HttpOptions } from './options.ts';
import { addPageRoutes } from './pages/page-routes.ts';
import { BalanceMemory } from './reading/balance-memory.ts';
import { SharedReaders } from './reading/shared-readers.ts';
import { Refuser } from './refuser.ts';
import type { RoutePorts } from './routes/handler.ts';

export interface ReadAnswer {
  readonly status: number;
  /** JSON text. */
  readonly body: string;
}

export class HttpServer {
  /** `addMore` may put further routes into the application; a development network has some. */
  static async start(
    services: Services,
    options: HttpOptions,
    addMore: (app: FastifyInstance) => void = () => {},
  ): Promise<HttpServer> {
    const { chain, mempool, clock } = services;
    const limits = PROFILE_LIMITS[options.profile];
    const guard = new RequestGuard({
      hosts: [...options.publicNames, options.host],
      browserOrigins: options.browserOrigins,
      trustedProxies: options.trustedProxies,
      limits,
      clock,
    });
    const ports: RoutePorts = {
      services,
      readers: new SharedReaders(chain),
      addresses: new Addresses(chain.manifest.network),
      balances: new BalanceMemory(chain),
      guard,
      hasPage: options.page !== undefined,
      series: await ChainSeries.start(chain, mempool),
      attendance: new AttendanceHistory(chain),
      mempoolFigures: new MempoolFigures(chain, mempool, clock),
    };
    const timeouts = { ...HTTP_TIMEOUTS, ...options.timeouts };
    const refuser = new Refuser(services, timeouts.stuck);
    const gate = new Gate(guard);
    const lane = new FastLane(ports, gate, refuser);
    const made = createApp({ guard, gate, refuser, lane, timeouts });
    addRoutes(made, ports, refuser);
    const { app, gateFor } = made;
    app.register(async (scope) => {
      scope.addHook('onRequest', gateFor(undefined));
      if (options.page !== undefined) addPageRoutes(scope, options.page);
      addMore(scope);
    });
    new ConnectionPlaces({
      places: limits.connections,
      placesPerClient: limits.connectionsPerClient,
      clientOf: clientKeyOf,
      isExcepted: (address) => guard.isExceptedFromShare(address),
    }).watch(app.server);
    await app.listen({ host: options.host, port: options.port });
    return new HttpServer(app, ports);
  }

  readonly #app: FastifyInstance;
  readonly #ports: RoutePorts;
  #closing: Promise<void> | undefined;

  private constructor(app: FastifyInstance, ports: RoutePorts) {
    this.#app = app;
    this.#ports = ports;
  }

  /** The server on which the sockets listen for `upgrade`. */
  get server(): Server {
    return this.#app.server;
  }

  /** The guard, so that sockets admit clients by the same rules and budgets. */
  get guard(): RequestGuard {
    return this.#ports.guard;
  }

  get port(): number {
    return (this.#app.server.address() as AddressInfo).port;
  }

  mempoolDocument(): MempoolDocument {
    return this.#ports.mempoolFigures.document();
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

  /** Resolves within a bounded time, whatever clients do. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { series, attendance, mempoolFigures, readers, balances } = this.#ports;
    const closed = this.#app.close();
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#app.server.closeAllConnections();
      resolve();
    }, HTTP_TIMEOUTS.closing);
    await Promise.race([closed, timeout]);
    clearTimeout(timer);
    series.close();
    attendance.close();
    mempoolFigures.close();
    readers.close();
    balances.close();
  }
}

function refusedRead(refusal: Refusal): ReadAnswer {
  return { status: 400, body: JSON.stringify(errorDocument(refusal)) };
}
