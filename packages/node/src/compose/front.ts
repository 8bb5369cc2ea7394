/**
 * What a node serves: the HTTP API with its sockets, and the mining listener. Both listeners may outlive the node.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Clock } from 'svc-base/pure';
import { readPageFiles } from 'svc-page/files';
import { HttpServer, SocketServer } from 'svc-serve';
import type { Services } from 'svc-serve/ports';
import type { Bind } from '../config/bind.ts';
import type { NodeConfig } from '../config/node-config.ts';
import { MiningListener } from '../mining/listener.ts';
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
  readonly listeners?: KeptListeners | undefined;
}

/**
 * Listeners that outlive the node they serve, with the connections of their clients: a development network replaces its node
 * and keeps them, because making them takes longer than everything else of a node. The first node makes them.
 */
export class KeptListeners {
  http: HttpServer | undefined;
  mining: MiningListener | undefined;

  async close(): Promise<void> {
    await Promise.all([this.http?.close(), this.mining?.close()]);
  }
}

export type Api = Pick<Front, 'http' | 'sockets'>;

/** The HTTP API and the sockets on its listener: one guard, one budget for each client. */
export async function openApi(
  { services, config, clock, extension, listeners }: ApiOptions,
  closing: AsyncDisposableStack,
): Promise<Api> {
  const { bind, isPublic, ui, ...names } = config;
  const profile = isPublic ? 'public' : 'node';
  const start = (): Promise<HttpServer> => {
    const page = ui ? readPageFiles() : undefined;
    const options = { ...bind, profile, ...names, page } as const;
    return HttpServer.start(services, options, (app) => extension?.addRoutes(app));
  };
  const kept = listeners?.http;
  await kept?.serve(services);
  const http = kept ?? (await start());
  if (listeners !== undefined) listeners.http = http;
  closing.defer(() => (listeners === undefined ? http.close() : http.leave()));
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
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void =>
    sockets.upgrade(request, socket, head);
  http.server.on('upgrade', upgrade);
  closing.defer(() => void http.server.off('upgrade', upgrade));
  return { http, sockets };
}

export interface FrontOptions extends Omit<ApiOptions, 'config'> {
  readonly core: NodeCore;
  readonly config: Pick<NodeConfig, 'http' | 'mining'>;
}

export async function openFront(
  { core, services, config, clock, extension, listeners }: FrontOptions,
  closing: AsyncDisposableStack,
): Promise<Front> {
  const wish = { services, config: config.http, clock, extension, listeners };
  const api = await openApi(wish, closing);
  const ports = {
    chain: core.chain,
    templates: core.templates,
    blocks: core.blocks,
    rates: core.rates,
    sync: services.sync,
    isOutdated: () => services.status().update_required,
    clock,
    log: services.log.part('mining'),
  };
  const kept = listeners?.mining;
  kept?.serve(ports);
  const mining = kept ?? (await MiningListener.start(ports, config.mining.bind));
  if (listeners !== undefined) listeners.mining = mining;
  closing.defer(() => (listeners === undefined ? mining.close() : mining.leave()));
  return {
    ...api,
    mining,
    httpBind: { host: config.http.bind.host, port: api.http.port },
    miningBind: { host: config.mining.bind.host, port: mining.port },
  };
}
