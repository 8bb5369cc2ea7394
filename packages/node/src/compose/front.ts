/**
 * What a node serves: the HTTP API with its sockets, and the mining listener.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Clock } from 'svc-base/pure';
import { readPageFiles } from 'svc-page/files';
import type { Bind } from '../config/bind.ts';
import type { NodeConfig } from '../config/node-config.ts';
import { HttpServer } from '../http/http-server.ts';
import { MiningListener } from '../mining/listener.ts';
import type { Services } from '../services.ts';
import { SocketServer } from '../sockets/socket-server.ts';
import type { NodeCore } from './node-core.ts';

export interface Front {
  readonly http: HttpServer;
  readonly sockets: SocketServer;
  readonly mining: MiningListener;
  readonly httpBind: Bind;
  readonly miningBind: Bind;
}

/** What an API has beside that of every node; a development network brings it. */
export interface ApiExtension {
  /** Puts further routes into the HTTP API. */
  addRoutes(app: FastifyInstance): void;
  /** Takes a request that wants to become a socket and was admitted; false leaves it to the sockets of every node. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
}

export interface ApiOptions {
  readonly services: Services;
  readonly config: NodeConfig['http'];
  /** Times heartbeats and rates of the sockets. */
  readonly clock: Clock;
  readonly extension?: ApiExtension | undefined;
}

export type Api = Pick<Front, 'http' | 'sockets'>;

/** The HTTP API and the sockets on its listener: one guard, one budget for each client. */
export async function openApi(
  { services, config, clock, extension }: ApiOptions,
  closing: AsyncDisposableStack,
): Promise<Api> {
  const { bind, isPublic, ui, ...names } = config;
  const profile = isPublic ? 'public' : 'node';
  const page = ui ? readPageFiles() : undefined;
  const options = { ...bind, profile, ...names, page } as const;
  const http = await HttpServer.start(services, options, (app) => extension?.addRoutes(app));
  closing.defer(() => http.close());
  const sockets = new SocketServer(
    {
      services,
      guard: http.guard,
      read: (path, client) => http.read(path, client),
      mempoolDocument: () => http.mempoolDocument(),
      clock,
    },
    {
      profile,
      mempoolTransactions: !isPublic,
      ...(extension === undefined ? {} : { extension }),
    },
  );
  closing.defer(() => sockets.close());
  http.server.on('upgrade', (request, socket, head) => sockets.upgrade(request, socket, head));
  return { http, sockets };
}

export interface FrontOptions extends Omit<ApiOptions, 'config'> {
  readonly core: NodeCore;
  readonly config: Pick<NodeConfig, 'http' | 'mining'>;
}

export async function openFront(
  { core, services, config, clock, extension }: FrontOptions,
  closing: AsyncDisposableStack,
): Promise<Front> {
  const api = await openApi({ services, config: config.http, clock, extension }, closing);
  const mining = await MiningListener.start(
    {
      chain: core.chain,
      templates: core.templates,
      blocks: core.blocks,
      rates: core.rates,
      sync: services.sync,
      isOutdated: () => services.status().update_required,
      clock,
      log: services.log.part('mining'),
    },
    config.mining.bind,
  );
  closing.defer(() => mining.close());
  return {
    ...api,
    mining,
    httpBind: { host: config.http.bind.host, port: api.http.port },
    miningBind: { host: config.mining.bind.host, port: mining.port },
  };
}
