/**
 * Opens a server at an address and returns where it listens. Must not know what the server answers.
 */
import { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

export interface Bind {
  readonly host: string;
  readonly port: number;
}

export interface Listening extends Bind {
  /** Ends all connections; resolves once the port is free. */
  close(): Promise<void>;
}

/** `endConnections` ends connections that the server does not track: upgraded ones, and all of a server that is not HTTP. */
export async function listenAt(
  server: Server,
  bind: Bind,
  endConnections: () => void = () => {},
): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(bind.port, bind.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { address: host, port } = server.address() as AddressInfo;
  return {
    host,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        endConnections();
        if (server instanceof HttpServer) server.closeAllConnections();
      }),
  };
}
