/**
 * Puts the sockets on the HTTP server of a node: same listener, same guard, same budgets.
 */
import { SYSTEM_CLOCK } from '../base/clock.ts';
import type { HttpServer } from '../http/http-server.ts';
import type { Services } from '../services.ts';
import { type SocketOptions, SocketServer } from './socket-server.ts';

/** They have to be closed before the HTTP server is. */
export function attachSockets(
  http: HttpServer,
  services: Services,
  options: SocketOptions,
): SocketServer {
  const sockets = new SocketServer(
    {
      services,
      guard: http.guard,
      clock: SYSTEM_CLOCK,
      read: (path, client) => http.read(path, client),
      mempoolDocument: () => http.mempoolDocument(),
    },
    options,
  );
  http.server.on('upgrade', (request, socket, head) => sockets.upgrade(request, socket, head));
  return sockets;
}
